package io.outbox.jdbc.store;

import static io.outbox.jdbc.store.PostgresPollCostContract.rowsReadBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A transaction that somebody holds open, so that PostgreSQL cannot clean up. */
class PostgresHeldTransactionTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");
  private static final int MANY = 20_000;

  private final Target target = Target.POSTGRES;
  private final PostgresOutboxStore store = new PostgresOutboxStore();

  @Test
  void R12_leasesThatHaveEndedAreSteppedOverOncePerDrain() throws SQLException {
    target.deleteAllEvents();
    try (Connection holder = target.connect();
        Connection conn = target.connect()) {
      holder.setAutoCommit(false);
      holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      insert(conn, "old", "'them'", MANY);
      JDBC.query(holder, "SELECT count(*) FROM outbox_event", row -> row.getLong(1));
      JDBC.update(
          conn,
          "UPDATE outbox_event SET status = 1, locked_by = NULL, locked_at = NULL, claims = 0");
      insert(conn, "new", "NULL", 300);
      conn.setAutoCommit(false);

      PendingBatch first = fetch(conn, null);
      assertThat(first.events()).hasSize(100);
      // Within the transaction: at its end the server may begin to count anew.
      assertThat(rowsReadBy(conn)).isGreaterThan(MANY);
      conn.commit();
      long readBefore = rowsReadBy(conn);
      PendingBatch second = fetch(conn, first.cursor().orElseThrow());
      assertThat(second.events()).hasSize(100);
      assertThat(rowsReadBy(conn) - readBefore).isLessThan(1_000);
      conn.commit();
      assertThat(second.events())
          .extracting(OutboxEvent::eventId)
          .doesNotContainAnyElementsOf(first.events().stream().map(OutboxEvent::eventId).toList());
    }
  }

  @Test
  void R1_aLeaseThatExpiresDuringADrainIsFoundByIt() throws SQLException {
    target.deleteAllEvents();
    try (Connection conn = target.connect()) {
      insert(conn, "leased", "'them'", 1);
      PollCursor cursor = fetch(conn, null, AT.minusSeconds(1)).cursor().orElseThrow();

      assertThat(fetch(conn, cursor, AT.plusSeconds(1)).events())
          .extracting(OutboxEvent::eventId)
          .containsExactly("leased1");
    }
  }

  private PendingBatch fetch(Connection conn, PollCursor after) {
    return fetch(conn, after, AT.plusSeconds(1));
  }

  private PendingBatch fetch(Connection conn, PollCursor after, Instant lockExpiry) {
    return store.fetchPending(
        conn,
        new PendingQuery(
            AT.plusSeconds(2), Duration.ZERO, 100, lockExpiry, "me", 1 << 24, List.of(), after));
  }

  /** Leased at AT, if somebody is named. */
  private void insert(Connection conn, String prefix, String owner, int count) {
    Object at = target.product().parameter(AT);
    JDBC.update(
        conn,
        """
        INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at,
          locked_by, locked_at)
        SELECT '%1$s' || n, 'Tested', '{}', 0, ?, ?, %2$s, CASE WHEN %2$s IS NOT NULL THEN ? END
        FROM generate_series(1, %3$s) n
        """
            .formatted(prefix, owner, count),
        at,
        at,
        at);
  }
}
