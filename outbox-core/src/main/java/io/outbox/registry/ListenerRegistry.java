package io.outbox.registry;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;

/** Finds the listener of an event. Must be safe for use by many threads. */
public interface ListenerRegistry {

  /** The single listener for the pair, or null if there is none. */
  EventListener listenerFor(String aggregateType, String eventType);

  /**
   * The single listener of one event, or null if there is none; by default that of its types.
   *
   * <p>A registry that looks at more than the types, for example at a header, overrides this, and
   * has no listener for a pair whose events have different ones: when the destination of one is
   * down, the events of such a pair are fetched all the same, and those of the others delivered.
   */
  default EventListener listenerFor(EventEnvelope event) {
    return listenerFor(event.aggregateType(), event.eventType());
  }
}
