package io.outbox.registry;

import io.outbox.EventListener;

/** Finds the listener of an event. Must be safe for use by many threads. */
public interface ListenerRegistry {

  /** The single listener for the pair, or null if there is none. */
  EventListener listenerFor(String aggregateType, String eventType);
}
