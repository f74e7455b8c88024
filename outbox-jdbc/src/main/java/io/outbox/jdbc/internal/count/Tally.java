package io.outbox.jdbc.internal.count;

import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What was counted for an overview.
 *
 * @param due pending, not leased
 * @param stuck leased before an instant
 * @param delivered how many of the newest finished are DONE, and not too old
 * @param deliveredSince the earliest of these
 * @param moreDelivered whether there are more of that time than were looked at
 */
public record Tally(
    Map<EventStatus, Count> statuses,
    Count due,
    Count leased,
    Count stuck,
    Count blocked,
    Instant oldestPending,
    int delivered,
    Instant deliveredSince,
    boolean moreDelivered) {

  /** How far is counted. */
  static final int CAP = 500;

  /** How many of the newest finished rows are looked at. */
  static final int LATELY = 600;

  /** What finished longer ago says nothing about what is delivered now. */
  static final Duration LATE = Duration.ofHours(1);

  Tally with(Map<EventStatus, Count> statuses, Count due, Count leased) {
    return new Tally(
        statuses,
        due,
        leased,
        stuck,
        blocked,
        oldestPending,
        delivered,
        deliveredSince,
        moreDelivered);
  }

  static boolean isExact(Count count) {
    return count.precision() == Count.Precision.EXACT;
  }

  public Count count(EventStatus status) {
    return statuses.get(status);
  }

  /** What was counted in a window that ends at {@link #CAP}. */
  static Count capped(long counted) {
    return Count.upTo(CAP, counted);
  }
}
