package io.outbox.registry;

import io.outbox.AggregateType;
import io.outbox.AsyncEventListener;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.internal.subscribe.Copies;
import io.outbox.internal.subscribe.SubscribedListeners;
import io.outbox.model.EventRoute;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.Collectors;

/**
 * A registry that you fill. An exact registration comes first, then the default of the aggregate
 * type, then the default of all. Thread-safe.
 */
public final class DefaultListenerRegistry implements ListenerRegistry {

  /** Null stands for "any" in a default registration. */
  private record Key(String aggregateType, String eventType) {
    @Override
    public String toString() {
      return (eventType == null ? "any event type" : "event type '" + eventType + "'")
          + (aggregateType == null
              ? ""
              : aggregateType.equals(AggregateType.GLOBAL.name())
                  ? " without aggregate type"
                  : " of aggregate type '" + aggregateType + "'");
    }
  }

  private final ConcurrentMap<Key, EventListener> listeners = new ConcurrentHashMap<>();
  private final SubscribedListeners subscribed = new SubscribedListeners();

  /** An empty registry. */
  public DefaultListenerRegistry() {}

  /** Registers for events without an aggregate type. */
  public DefaultListenerRegistry register(String eventType, EventListener listener) {
    return register(AggregateType.GLOBAL.name(), eventType, listener);
  }

  /** Registers for events without an aggregate type. */
  public DefaultListenerRegistry register(EventType eventType, EventListener listener) {
    return register(AggregateType.GLOBAL, eventType, listener);
  }

  /**
   * Registers for one kind of event.
   *
   * @throws IllegalStateException if there is a listener for it
   */
  public DefaultListenerRegistry register(
      String aggregateType, String eventType, EventListener listener) {
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(eventType, "eventType");
    return add(new Key(aggregateType, eventType), listener);
  }

  /**
   * Registers for one kind of event.
   *
   * @throws IllegalStateException if there is a listener for it
   */
  public DefaultListenerRegistry register(
      AggregateType aggregateType, EventType eventType, EventListener listener) {
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(eventType, "eventType");
    return register(aggregateType.name(), eventType.name(), listener);
  }

  /**
   * Registers a listener that knows its kind of event.
   *
   * @throws IllegalStateException if there is a listener for it
   */
  public DefaultListenerRegistry register(BoundEventListener listener) {
    Objects.requireNonNull(listener, "listener");
    return register(listener.getAggregateType(), listener.getEventType(), listener);
  }

  /** As {@link #register(String, EventListener)}, for a listener that answers later. */
  public DefaultListenerRegistry registerAsync(String eventType, AsyncEventListener listener) {
    return register(eventType, Objects.requireNonNull(listener, "listener").asEventListener());
  }

  /** As {@link #register(String, String, EventListener)}, for a listener that answers later. */
  public DefaultListenerRegistry registerAsync(
      String aggregateType, String eventType, AsyncEventListener listener) {
    Objects.requireNonNull(listener, "listener");
    return register(aggregateType, eventType, listener.asEventListener());
  }

  /** As {@link #registerDefault(EventListener)}, for a listener that answers later. */
  public DefaultListenerRegistry registerDefaultAsync(AsyncEventListener listener) {
    return registerDefault(Objects.requireNonNull(listener, "listener").asEventListener());
  }

  /** Subscribes to events without an aggregate type; see the form with one. */
  public DefaultListenerRegistry subscribe(
      String eventType, String subscription, EventListener listener) {
    return subscribe(AggregateType.GLOBAL.name(), eventType, subscription, listener);
  }

  /**
   * Adds one of several independent listeners for one kind of event. Each subscription gets a copy
   * of every event, which is retried, paused, DEAD and replayed alone. Needs an {@link
   * io.outbox.Outbox} and a store with {@link io.outbox.spi.OutboxStore#subscriptions()}.
   *
   * @param subscription the name it is stored under: letters, digits, '.', '_' and '-'. A listener
   *     of another name is another subscription
   * @throws IllegalStateException if the subscription has a listener, or the events have one that
   *     was registered
   */
  public DefaultListenerRegistry subscribe(
      String aggregateType, String eventType, String subscription, EventListener listener) {
    EventRoute route =
        new EventRoute(
            Objects.requireNonNull(aggregateType, "aggregateType"),
            Objects.requireNonNull(eventType, "eventType"));
    Copies.requireName(route, subscription);
    Objects.requireNonNull(listener, "listener");
    Key copies = new Key(Copies.typeOf(aggregateType, subscription), eventType);
    add(copies, subscribed.listenerFor(listener));
    Key events = new Key(aggregateType, eventType);
    EventListener other = listeners.putIfAbsent(events, SubscribedListeners.EXPANDS);
    if (other != null && other != SubscribedListeners.EXPANDS) {
      listeners.remove(copies);
      throw new IllegalStateException(
          "there is a registered listener for " + events + "; subscribe it, too, under a name");
    }
    subscribed.add(route, subscription);
    return this;
  }

  /** Adds one of several independent listeners for one kind of event; see the other form. */
  public DefaultListenerRegistry subscribe(
      AggregateType aggregateType,
      EventType eventType,
      String subscription,
      EventListener listener) {
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(eventType, "eventType");
    return subscribe(aggregateType.name(), eventType.name(), subscription, listener);
  }

  /** As {@link #subscribe(String, String, EventListener)}, for a listener that answers later. */
  public DefaultListenerRegistry subscribeAsync(
      String eventType, String subscription, AsyncEventListener listener) {
    return subscribeAsync(AggregateType.GLOBAL.name(), eventType, subscription, listener);
  }

  /**
   * As {@link #subscribe(String, String, String, EventListener)}, for a listener that answers
   * later, such as a publisher.
   */
  public DefaultListenerRegistry subscribeAsync(
      String aggregateType, String eventType, String subscription, AsyncEventListener listener) {
    Objects.requireNonNull(listener, "listener");
    return subscribe(aggregateType, eventType, subscription, listener.asEventListener());
  }

  /**
   * Registers for every event that has no other listener, to forward them to a broker for example.
   *
   * @throws IllegalStateException if there is a default listener
   */
  public DefaultListenerRegistry registerDefault(EventListener listener) {
    return add(new Key(null, null), listener);
  }

  /**
   * Registers for every event of an aggregate type that has no other listener.
   *
   * @throws IllegalStateException if there is a default listener for it
   */
  public DefaultListenerRegistry registerDefault(String aggregateType, EventListener listener) {
    Objects.requireNonNull(aggregateType, "aggregateType");
    return add(new Key(aggregateType, null), listener);
  }

  @Override
  public EventListener listenerFor(String aggregateType, String eventType) {
    EventListener exact = listeners.get(new Key(aggregateType, eventType));
    if (exact != null || Copies.isType(aggregateType)) {
      return exact; // a copy is for one subscription, which another node may have
    }
    EventListener ofAggregate = listeners.get(new Key(aggregateType, null));
    return ofAggregate != null ? ofAggregate : listeners.get(new Key(null, null));
  }

  @Override
  public Set<String> aggregateTypesFor(String eventType) {
    return listeners.keySet().stream()
        .filter(key -> key.eventType != null && key.eventType.equals(eventType))
        .map(Key::aggregateType)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Override
  public Map<EventRoute, Set<String>> subscriptions() {
    return subscribed.names();
  }

  @Override
  public Map<String, EventListener> registered() {
    Map<String, EventListener> registered = new TreeMap<>();
    listeners.forEach(
        (key, listener) ->
            registered.put(new EventRoute(key.aggregateType, key.eventType).toString(), listener));
    return registered;
  }

  private DefaultListenerRegistry add(Key key, EventListener listener) {
    Objects.requireNonNull(listener, "listener");
    if (listeners.putIfAbsent(key, listener) != null) {
      throw new IllegalStateException(
          "there is already a listener for "
              + key
              + "; each pair of aggregate type and event type has one");
    }
    return this;
  }
}
