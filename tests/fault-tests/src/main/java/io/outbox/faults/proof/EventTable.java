package io.outbox.faults.proof;

import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventStatus;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** The table of events, as somebody sees it who has no part in the run. */
public final class EventTable {

  private static final long LOOK_NANOS = 20_000_000;

  private static final String PENDING =
      "SELECT COUNT(*) FROM outbox_event WHERE status IN ("
          + EventStatus.NEW.code()
          + ", "
          + EventStatus.RETRY.code()
          + ") AND seq <= ?";

  private final DataSource database;

  public EventTable(DataSource database) {
    this.database = database;
  }

  public static EventTable create(DataSource database) {
    OutboxSchema.create(database);
    OutboxSchema.createOrderedByKey(database);
    return new EventTable(database);
  }

  /** The largest number that an event has got. */
  public long lastSeq() {
    return number("SELECT COALESCE(MAX(seq), 0) FROM outbox_event WHERE seq > ?", 0);
  }

  /** How many events up to that one wait. */
  public long pending(long lastSeq) {
    return number(PENDING, lastSeq);
  }

  /**
   * Waits until no event up to that one is pending.
   *
   * @throws AssertionError if that takes longer than {@code bound}
   */
  public void awaitDelivered(long lastSeq, Duration bound) {
    Await.until(
        () -> "the delivery of %d events".formatted(pending(lastSeq)),
        bound,
        () -> {
          LockSupport.parkNanos(LOOK_NANOS);
          return pending(lastSeq) == 0;
        });
  }

  public List<Proof.Row> rows() {
    List<Proof.Row> rows = new ArrayList<>();
    try (Connection conn = database.getConnection();
        PreparedStatement select =
            conn.prepareStatement(
                "SELECT event_id, ordering_key, seq, status, attempts FROM outbox_event");
        ResultSet result = select.executeQuery()) {
      while (result.next()) {
        rows.add(
            new Proof.Row(
                result.getString(1),
                result.getString(2),
                result.getLong(3),
                EventStatus.fromCode(result.getInt(4)),
                result.getInt(5)));
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException("cannot read the events", e);
    }
  }

  private long number(String sql, long parameter) {
    try (Connection conn = database.getConnection();
        PreparedStatement select = conn.prepareStatement(sql)) {
      select.setLong(1, parameter);
      try (ResultSet result = select.executeQuery()) {
        result.next();
        return result.getLong(1);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
