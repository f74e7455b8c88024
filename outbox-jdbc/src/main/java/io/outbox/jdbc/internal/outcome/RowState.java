package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.internal.Product;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** As much of a row as decides about a change to it. The status may be one that means nothing. */
public record RowState(
    String eventId,
    int status,
    int attempts,
    long leaseNumber,
    String lockedBy,
    Instant availableAt,
    Instant lockedAt) {

  static final String COLUMNS =
      "event_id, status, attempts, lease_no, locked_by, available_at, locked_at";

  static RowState read(Product product, ResultSet row) throws SQLException {
    return new RowState(
        row.getString(1),
        row.getInt(2),
        row.getInt(3),
        row.getLong(4),
        row.getString(5),
        product.instant(row, 6),
        product.instant(row, 7));
  }

  /** Whether a change through {@code ref} may be made. */
  public boolean isOpenTo(EventRef ref) {
    boolean pending = status == EventStatus.NEW.code() || status == EventStatus.RETRY.code();
    return pending && ref.matches(leaseNumber, lockedBy);
  }

  /** Whether {@code ref} is a lease of this very row, and lasts. */
  public boolean isHeldBy(EventRef ref) {
    return eventId.equals(ref.eventId()) && ref.owner() != null && isOpenTo(ref);
  }

  /**
   * Whether the row already is as {@code outcome} would leave it; one that is there is not gone.
   */
  boolean isResultOf(Outcome outcome) {
    EventRef ref = outcome.ref();
    boolean sameLease = ref.leaseNumber() == EventRef.ANY_LEASE || ref.leaseNumber() == leaseNumber;
    return !outcome.deletesRow()
        && status == outcome.status().code()
        && attempts == outcome.attempts()
        && sameLease
        && (!outcome.status().isPending() || waitsFor(outcome.at()));
  }

  private boolean waitsFor(Instant at) {
    return lockedBy == null && at.truncatedTo(ChronoUnit.MICROS).equals(availableAt);
  }
}
