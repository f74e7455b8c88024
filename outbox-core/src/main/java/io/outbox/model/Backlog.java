package io.outbox.model;

import java.time.Instant;
import java.util.Map;

/**
 * What is in the table, looked at with bounded effort.
 *
 * @param counts events by status; none is counted beyond {@code cap}
 * @param cap how far was counted
 * @param oldestWaiting since when the oldest event that nobody has leased could be delivered, or
 *     will be; null if none waits
 */
public record Backlog(Map<EventStatus, Long> counts, int cap, Instant oldestWaiting) {

  public Backlog {
    counts = Map.copyOf(counts);
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
