package io.outbox.spi;

import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * The contents of the table, read with bounded effort.
 *
 * @param counts events by status; none is counted beyond {@code cap}
 * @param cap how far was counted
 * @param oldestWaiting when the oldest undelivered event was first due or replayed, whatever it
 *     waits for, or will be due; null if all are delivered. A store that does not keep that takes
 *     the time at which it is tried next
 */
public record Backlog(Map<EventStatus, Long> counts, int cap, Instant oldestWaiting) {

  public Backlog {
    counts = Map.copyOf(Objects.requireNonNull(counts, "counts"));
  }

  /** How many have this status; exact below {@link #cap()}. */
  public long count(EventStatus status) {
    return Math.min(cap, counts.getOrDefault(status, 0L));
  }

  /** How many wait to be delivered; exact below {@link #cap()}. */
  public long pending() {
    return Math.min(cap, count(EventStatus.NEW) + count(EventStatus.RETRY));
  }

  /** How many were given up; exact below {@link #cap()}. */
  public long dead() {
    return count(EventStatus.DEAD);
  }
}
