package io.outbox.wiring.listener;

import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.wiring.OutboxConfigurationException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Registers what a framework has found, each under its policy, and refuses what cannot be a
 * listener or is a second one for its events. Register before delivery starts. Thread-safe.
 */
public final class AnnotatedListeners {

  private final DefaultListenerRegistry registry;
  private final ListenerPolicies policies;
  private final Map<ListenerAddress, String> registered = new HashMap<>();

  /** Registers listeners in {@code registry}. */
  public AnnotatedListeners(DefaultListenerRegistry registry, ListenerPolicies policies) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.policies = Objects.requireNonNull(policies, "policies");
  }

  /**
   * A bean whose class is annotated, as a listener.
   *
   * @param where what is annotated, for messages
   * @throws OutboxConfigurationException if it is no listener, or names its events itself
   */
  public static EventListener listener(Object bean, String where) {
    Objects.requireNonNull(bean, "bean");
    Objects.requireNonNull(where, "where");
    if (bean instanceof BoundEventListener) {
      throw new OutboxConfigurationException(
          "The " + where + " is a BoundEventListener and has an @OutboxListener too.",
          "Remove the annotation, or implement EventListener instead.");
    } else if (bean instanceof EventListener listener) {
      return listener;
    } else if (bean instanceof AsyncEventListener listener) {
      return listener.asEventListener();
    }
    throw new OutboxConfigurationException(
        "The " + where + " has an @OutboxListener but does not implement io.outbox.EventListener.",
        "Implement EventListener or AsyncEventListener, or put the annotation on a method of the"
            + " class.");
  }

  /**
   * Registers a listener that names its events itself.
   *
   * @param where what it is, for messages
   * @throws OutboxConfigurationException if there is another listener for its events
   */
  public void add(BoundEventListener listener, String where) {
    add(ListenerAddress.of(listener), listener, where);
  }

  /**
   * Registers a listener.
   *
   * @param where what it is, for messages
   * @throws OutboxConfigurationException if there is another listener for its events
   */
  public void add(ListenerAddress address, EventListener listener, String where) {
    add(address, listener, null, where);
  }

  /**
   * Registers a listener with a policy that was declared beside it.
   *
   * @param policy null for none
   * @param where what it is, for messages
   * @throws OutboxConfigurationException if there is another listener for its events
   */
  public synchronized void add(
      ListenerAddress address, EventListener listener, ListenerPolicy policy, String where) {
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(listener, "listener");
    Objects.requireNonNull(where, "where");
    String other = registered.putIfAbsent(address, where);
    if (other != null) {
      throw second(address, other, where, null);
    }
    EventListener policed = policies.around(listener, address, policy);
    try {
      address.register(policed, registry);
    } catch (IllegalArgumentException e) {
      throw new OutboxConfigurationException(
          "The @OutboxListener on " + where + " cannot be used: " + e.getMessage() + ".",
          "Correct its attributes.",
          e);
    } catch (IllegalStateException e) {
      throw second(address, "one that was registered by hand", where, e);
    }
  }

  private static OutboxConfigurationException second(
      ListenerAddress address, String other, String where, IllegalStateException cause) {
    return new OutboxConfigurationException(
        "There are two listeners for " + address + ": " + other + ", and " + where + ".",
        "An event has one listener, unless all of them name a subscription. Remove one of them, give"
            + " one another event or aggregate type, or name a subscription on each; an"
            + " EventInterceptor bean sees every event.",
        cause);
  }

  /**
   * Ends the registration.
   *
   * @throws OutboxConfigurationException if there are policies for listeners that do not exist
   */
  public synchronized void complete() {
    policies.requireAllUsed();
  }

  /** How many listeners were registered. */
  public synchronized int count() {
    return registered.size();
  }
}
