package io.outbox.spi;

import io.outbox.model.EventRoute;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Asks a store for events to deliver.
 *
 * @param now the database's time: later events are not due
 * @param skipRecent events created less than this before {@code now} are left for the hot path
 * @param limit how many at most
 * @param lockExpiry leases taken before this instant have expired
 * @param claimAs lease the events to this owner, or null to only read them
 * @param maxBytes about how many bytes of events at most, except that the first always fits; only
 *     for stores that limit bytes
 * @param without events of these routes are not wanted now, which may be many of the table; a store
 *     may return them all the same
 * @param after go on behind the batch that returned this cursor, or null to start anew
 */
public record PendingQuery(
    Instant now,
    Duration skipRecent,
    int limit,
    Instant lockExpiry,
    String claimAs,
    long maxBytes,
    List<EventRoute> without,
    PollCursor after) {

  /** What every database can keep. */
  private static final Instant END_OF_TIME = Instant.parse("9999-12-31T00:00:00Z");

  /** Without a limit of bytes, for all routes. */
  public PendingQuery(
      Instant now,
      Duration skipRecent,
      int limit,
      Instant lockExpiry,
      String claimAs,
      PollCursor after) {
    this(now, skipRecent, limit, lockExpiry, claimAs, Long.MAX_VALUE, List.of(), after);
  }

  public PendingQuery {
    Objects.requireNonNull(now, "now");
    Objects.requireNonNull(skipRecent, "skipRecent");
    Objects.requireNonNull(lockExpiry, "lockExpiry");
    without = List.copyOf(Objects.requireNonNull(without, "without"));
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
  }

  public PendingQuery withLimit(int value) {
    return new PendingQuery(now, skipRecent, value, lockExpiry, claimAs, maxBytes, without, after);
  }

  /**
   * Events created after this instant are too recent. Without {@code skipRecent} none is, even if
   * the clock of its writer was ahead.
   */
  public Instant createdUntil() {
    return skipRecent.isZero() ? END_OF_TIME : now.minus(skipRecent);
  }
}
