package io.outbox.poller;

import io.outbox.EventEnvelope;

/** Receives the events that the poller finds. */
@FunctionalInterface
public interface OutboxPollerHandler {

  /**
   * Takes one event. If you hand it to a dispatcher, do so before this method returns: only then
   * the dispatcher can tell that it was delivered after the poll had read it.
   *
   * @param attempts its failures so far
   * @return false to refuse it, which ends the poll cycle
   */
  boolean handle(EventEnvelope event, int attempts);

  /** How many events it can take now; with 0 the poller skips a cycle. */
  default int availableCapacity() {
    return Integer.MAX_VALUE;
  }
}
