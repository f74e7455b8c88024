package io.outbox.spring.events;

import io.outbox.EventEnvelope;
import java.util.Optional;

/**
 * Decides which application events are written to the outbox, and as what. {@link EventRule} builds
 * one. Must be safe for use by many threads.
 */
@FunctionalInterface
public interface EventMapping {

  /**
   * The outbox event of an application event; empty if this mapping does not know it. Called in the
   * transaction of the publisher, who gets whatever is thrown.
   *
   * @param event what was published; for a {@code PayloadApplicationEvent} its payload
   */
  Optional<EventEnvelope> toOutbox(Object event);
}
