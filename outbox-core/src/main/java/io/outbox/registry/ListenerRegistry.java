package io.outbox.registry;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.model.EventRoute;
import java.util.Map;
import java.util.Set;

/** Finds the listener of an event. Must be safe for use by many threads. */
public interface ListenerRegistry {

  /** The single listener for the pair, or null if there is none. */
  EventListener listenerFor(String aggregateType, String eventType);

  /**
   * The single listener of one event, or null if there is none; by default the listener of its
   * types.
   *
   * <p>A registry that looks at more than the types, for example at a header, overrides this and
   * {@link #mayHaveListenerFor}. It returns no listener for a pair whose events have different
   * ones: such events are fetched even while one of their destinations is down.
   */
  default EventListener listenerFor(EventEnvelope event) {
    return listenerFor(event.aggregateType(), event.eventType());
  }

  /**
   * The listeners by a readable name of their events, for the log at the start; empty by default.
   */
  default Map<String, EventListener> registered() {
    return Map.of();
  }

  /**
   * Whether some event of the pair may have a listener; by default whether the pair has one. With
   * many nodes, events of a pair without a listener here wait for other nodes.
   */
  default boolean mayHaveListenerFor(String aggregateType, String eventType) {
    return listenerFor(aggregateType, eventType) != null;
  }

  /**
   * The aggregate types that have a listener for this event type, for messages about an event that
   * has none; by default none are known.
   */
  default Set<String> aggregateTypesFor(String eventType) {
    return Set.of();
  }

  /** The names of subscriptions that have a listener here, by the route of their events. */
  default Map<EventRoute, Set<String>> subscriptions() {
    return Map.of();
  }
}
