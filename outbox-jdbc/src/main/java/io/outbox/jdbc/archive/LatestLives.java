package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.OutboxEvent;
import java.util.HashMap;
import java.util.Map;

/**
 * Which archived events ended for the last time. Files have a line for each life of an event, and
 * only events that were replayed have several.
 */
final class LatestLives {

  /** Some tens of megabytes. */
  static final int MOST = 200_000;

  private final int most;
  private final Map<String, Long> leases = new HashMap<>();

  LatestLives(int most) {
    this.most = most;
  }

  void add(OutboxEvent event) {
    if (event.replayedAt() != null) {
      leases.merge(event.eventId(), event.leaseNumber(), Math::max);
      if (leases.size() > most) {
        throw new OutboxStoreException(
            "more than %s of the events to replay were replayed before, too many to find the last end of each: replay fewer events at a time, by times or types"
                .formatted(most));
      }
    }
  }

  boolean has(OutboxEvent event) {
    return event.leaseNumber() >= leases.getOrDefault(event.eventId(), Long.MIN_VALUE);
  }
}
