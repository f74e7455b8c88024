package io.outbox.publish;

import io.outbox.EventEnvelope;

/**
 * A listener that names the destination of an event before it is called. If an {@link
 * io.outbox.OutageException} reports one destination as missing, only events of that destination
 * wait. All publishers implement it; your own listeners, synchronous or not, may, too. Operators
 * see its {@code toString()}, or else its class, as its name.
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
