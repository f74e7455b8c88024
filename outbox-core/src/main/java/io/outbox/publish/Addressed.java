package io.outbox.publish;

import io.outbox.EventEnvelope;

/**
 * A listener that can tell where an event goes before it is called. If one destination is missing,
 * as an {@link io.outbox.OutageException} that names it says, the outbox holds back the events of
 * that destination alone. All publishers implement it; a listener of your own, synchronous or not,
 * may do so as well. If it has a {@code toString()} of its own, operators see that as its name,
 * else the name of its class.
 */
@FunctionalInterface
public interface Addressed {

  /**
   * The destination of an event, as an operator should see it, for example {@code topic orders}. It
   * is asked only while a destination of this listener is missing; must not block.
   *
   * @return null if it is not known; then the event is not held back
   */
  String destinationOf(EventEnvelope event);
}
