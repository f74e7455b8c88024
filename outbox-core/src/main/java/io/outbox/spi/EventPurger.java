package io.outbox.spi;

import java.sql.Connection;
import java.time.Instant;

/** Deletes old events, a bounded batch at a time. */
public interface EventPurger {

  /**
   * Deletes at most {@code limit} events that ended before {@code before}. The caller owns the
   * connection and its transaction.
   *
   * @return how many were deleted
   */
  int purge(Connection conn, Instant before, int limit);
}
