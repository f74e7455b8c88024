package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import io.outbox.spi.lanes.KeyQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * R21: somebody builds an index, or alters the table. A session of PostgreSQL that waits for a lock
 * does not notice that its client has stopped waiting, so it has to stop by itself.
 */
@Timeout(120)
class PostgresLockedTableTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");
  private static final Duration LEASE = Duration.ofSeconds(2);

  private final Target target = Target.POSTGRES;
  private final PostgresOutboxStore store = new PostgresOutboxStore();

  private void whileLocked(String mode, Connection conn, ThrowingCallable work)
      throws SQLException {
    target.deleteAllEvents();
    store.insertNew(conn, EventEnvelope.builder("Tested").eventId("e").payloadJson("{}").build());
    conn.setAutoCommit(false);
    try (Connection other = target.connect()) {
      other.setAutoCommit(false);
      // If it waits all the same, it does not wait for ever.
      JDBC.update(other, "SET LOCAL idle_in_transaction_session_timeout = '30s'");
      JDBC.update(other, "LOCK TABLE outbox_event IN " + mode + " MODE");

      assertThatExceptionOfType(OutboxStoreException.class)
          .isThrownBy(work)
          .satisfies(
              e -> assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("55P03"));
      other.rollback();
    } finally {
      conn.rollback();
      conn.setAutoCommit(true);
    }
  }

  private static String lockTimeout(Connection conn) throws SQLException {
    return JDBC.query(conn, "SHOW lock_timeout", row -> row.getString(1)).get(0);
  }

  @Test
  void whatAnEngineWritesDoesNotWaitLongerThanHalfALease() throws SQLException {
    try (Connection conn = target.connect()) {
      String before = lockTimeout(conn);
      whileLocked(
          "SHARE",
          conn,
          () -> {
            store.prepareTransaction(conn, LEASE);
            assertThat(lockTimeout(conn)).isEqualTo("1s");
            store.recordOutcomes(conn, List.of(Outcome.done(EventRef.any("e"), 0, AT)));
          });
      assertThat(lockTimeout(conn)).isEqualTo(before);
    }
  }

  @Test
  void whatAnEngineReadsByKeyDoesNotWaitEither() throws SQLException {
    try (Connection conn = target.connect()) {
      KeyQuery query = new KeyQuery(AT, 10, 10, 10, 1 << 20, List.of());
      whileLocked(
          "ACCESS EXCLUSIVE",
          conn,
          () -> store.lanes().orElseThrow().scan(conn, Set.of(1), null, query));
    }
  }

  @Test
  void aLowerBoundStays() throws SQLException {
    try (Connection conn = target.connect()) {
      conn.setAutoCommit(false);
      JDBC.update(conn, "SET LOCAL lock_timeout = '300ms'");
      store.prepareTransaction(conn, LEASE);

      assertThat(lockTimeout(conn)).isEqualTo("300ms");
      conn.rollback();
    }
  }
}
