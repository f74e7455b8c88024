package io.outbox.annotation.support;

import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.annotation.OutboxListener;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Registers what a framework has found, and refuses what cannot be a listener or is a second one
 * for its events. Register before delivery starts. Thread-safe.
 */
public final class AnnotatedListeners {

  private final DefaultListenerRegistry registry;
  private final Map<ListenerAddress, String> registered = new HashMap<>();

  /** Registers listeners in {@code registry}. */
  public AnnotatedListeners(DefaultListenerRegistry registry) {
    this.registry = Objects.requireNonNull(registry, "registry");
  }

  /**
   * Registers a bean whose class is annotated.
   *
   * @param where what is annotated, for messages
   * @throws InvalidListenerException if it is no listener, or there is another one for its events
   */
  public void addBean(OutboxListener annotation, Object bean, String where) {
    Objects.requireNonNull(bean, "bean");
    ListenerAddress address = ListenerAddress.of(annotation, where);
    if (bean instanceof BoundEventListener) {
      throw new InvalidListenerException(
          "The " + where + " is a BoundEventListener and has an @OutboxListener too.",
          "Remove the annotation, or implement EventListener instead.");
    } else if (bean instanceof EventListener listener) {
      add(address, listener, where);
    } else if (bean instanceof AsyncEventListener listener) {
      add(address, listener.asEventListener(), where);
    } else {
      throw new InvalidListenerException(
          "The "
              + where
              + " has an @OutboxListener but does not implement io.outbox.EventListener.",
          "Implement EventListener or AsyncEventListener, or put the annotation on a method of the"
              + " class.");
    }
  }

  /**
   * Registers an annotated method.
   *
   * @param method its signature
   * @param invoker calls it
   * @param where what is annotated, for messages
   * @throws InvalidListenerException if there is another listener for its events
   */
  public void addMethod(
      OutboxListener annotation,
      ListenerMethod method,
      ListenerMethod.Invoker invoker,
      String where) {
    Objects.requireNonNull(method, "method");
    add(ListenerAddress.of(annotation, where), method.calledBy(invoker), where);
  }

  /**
   * Registers a listener.
   *
   * @param where what it is, for messages
   * @throws InvalidListenerException if there is another listener for its events
   */
  public synchronized void add(ListenerAddress address, EventListener listener, String where) {
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(where, "where");
    String other = registered.putIfAbsent(address, where);
    if (other != null) {
      throw second(address, other, where, null);
    }
    try {
      registry.register(address.aggregateType(), address.eventType(), listener);
    } catch (IllegalStateException e) {
      throw second(address, "one that was registered by hand", where, e);
    }
  }

  private static InvalidListenerException second(
      ListenerAddress address, String other, String where, IllegalStateException cause) {
    return new InvalidListenerException(
        "There are two listeners for " + address + ": " + other + ", and " + where + ".",
        "An event has one listener. Remove one of them, give one another event or aggregate type,"
            + " or let one listener call both; an EventInterceptor sees every event.",
        cause);
  }

  /** How many listeners were registered. */
  public synchronized int count() {
    return registered.size();
  }
}
