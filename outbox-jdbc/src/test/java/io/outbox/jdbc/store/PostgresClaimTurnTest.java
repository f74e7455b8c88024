package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Large claims take turns, which is for speed alone. */
class PostgresClaimTurnTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");
  private static final int BATCH = 500;

  private final Target target = Target.POSTGRES;
  private final PostgresOutboxStore store = new PostgresOutboxStore();

  @BeforeEach
  void fill() throws SQLException {
    target.deleteAllEvents();
    try (Connection conn = target.connect()) {
      JDBC.update(
          conn,
          """
          INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)
          SELECT 'e' || n, 'Tested', '{}', 0, ?, ? FROM generate_series(1, 3000) n
          """,
          target.product().parameter(AT),
          target.product().parameter(AT));
    }
  }

  private Connection transaction() throws SQLException {
    Connection conn = target.connect();
    conn.setAutoCommit(false);
    return conn;
  }

  /** The driver makes a savepoint around each statement. */
  private Connection transactionWithAutosave() throws SQLException {
    try (Connection conn = target.connect()) {
      String url = conn.getMetaData().getURL();
      Connection own =
          DriverManager.getConnection(
              url + (url.contains("?") ? "&" : "?") + "autosave=always&cleanupSavepoints=true",
              conn.getMetaData().getUserName(),
              null);
      own.setAutoCommit(false);
      return own;
    }
  }

  private List<String> claim(Connection conn, String owner, int limit) {
    PendingQuery query =
        new PendingQuery(AT.plusSeconds(1), Duration.ZERO, limit, AT.minusSeconds(60), owner, null);
    return store.fetchPending(conn, query).events().stream().map(OutboxEvent::eventId).toList();
  }

  @Test
  void aLargeClaimWaitsForAnother() throws Exception {
    try (Connection second = transaction()) {
      claimsMeanwhileOrAfter(second);
    }
  }

  @Test
  void R1_aClaimWaitsThoughTheDriverHasSavepoints() throws Exception {
    try (Connection second = transactionWithAutosave()) {
      claimsMeanwhileOrAfter(second);
    }
  }

  @Test
  void R21_aClaimThatHasWaitedForTooLongGoesOnThoughTheDriverHasSavepoints() throws Exception {
    try (Connection second = transactionWithAutosave()) {
      goesOn(second);
    }
  }

  private void claimsMeanwhileOrAfter(Connection second) throws Exception {
    try (Connection first = transaction();
        Connection watching = target.connect()) {
      JDBC.update(second, "SET LOCAL lock_timeout = '7s'");
      List<String> ours = claim(first, "first", BATCH);
      CompletableFuture<List<String>> theirs =
          CompletableFuture.supplyAsync(() -> claim(second, "second", BATCH));
      // Nothing is told if it claims at once, or this thread is stopped for longer than it waits.
      await()
          .atMost(Duration.ofMinutes(1))
          .pollInterval(Duration.ofMillis(1))
          .until(() -> waits(watching) || theirs.isDone());
      first.commit();

      assertThat(ours).hasSize(BATCH);
      assertThat(theirs.get(1, TimeUnit.MINUTES)).hasSize(BATCH).doesNotContainAnyElementsOf(ours);
      assertThat(JDBC.query(second, "SHOW lock_timeout", row -> row.getString(1)))
          .containsExactly("7s");
      second.commit();
    }
  }

  private static boolean waits(Connection conn) {
    return !JDBC.query(
            conn,
            "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND classid = 1869968482 AND NOT granted",
            row -> row.getInt(1))
        .isEmpty();
  }

  /** Its node may have vanished: others must not wait for the end of its session. */
  @Test
  void R21_aClaimThatHasWaitedForTooLongGoesOn() throws Exception {
    try (Connection second = transaction()) {
      goesOn(second);
    }
  }

  private void goesOn(Connection second) throws SQLException {
    try (Connection first = transaction()) {
      List<String> ours = claim(first, "first", BATCH);
      JDBC.update(second, "SET LOCAL lock_timeout = '7s'");

      assertThat(claim(second, "second", BATCH)).hasSize(BATCH).doesNotContainAnyElementsOf(ours);
      assertThat(JDBC.query(second, "SHOW lock_timeout", row -> row.getString(1)))
          .containsExactly("7s");
      second.commit();
      first.commit();
    }
  }

  /** After a wait it would fail at the first row that another node has claimed since. */
  @Test
  void R1_aClaimThatSeesOnlyItsSnapshotDoesNotWait() throws Exception {
    try (Connection second = transaction()) {
      second.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      claimsMeanwhileOrAfter(second);
    }
  }

  @Test
  void afterAWaitInVainTheNextClaimsDoNotAskForATurn() throws Exception {
    try (Connection first = transaction();
        Connection second = transaction();
        Connection watching = target.connect()) {
      // Again if this thread was stopped for so long that the next claim may ask.
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                long begun = System.nanoTime();
                claim(first, "first", BATCH);
                claim(second, "second", BATCH);
                second.commit();
                first.rollback();
                claim(second, "second", BATCH);
                int locks = advisoryLocks(watching);
                boolean soon = System.nanoTime() - begun < TimeUnit.SECONDS.toNanos(1);
                second.rollback();
                JDBC.update(watching, "UPDATE outbox_event SET locked_by = NULL, locked_at = NULL");
                assertThat(locks).isEqualTo(soon ? 0 : locks);
                return soon;
              });
    }
  }

  @Test
  void tablesOfOtherSchemasHaveTurnsOfTheirOwn() throws Exception {
    try (Connection first = transaction();
        Connection second = transaction();
        Connection watching = target.connect()) {
      JDBC.update(watching, "DROP SCHEMA IF EXISTS another_tenant CASCADE");
      JDBC.update(watching, "CREATE SCHEMA another_tenant");
      JDBC.update(
          watching, "CREATE TABLE another_tenant.outbox_event (LIKE outbox_event INCLUDING ALL)");
      JDBC.update(second, "SET LOCAL search_path = another_tenant");
      claim(first, "first", BATCH);

      assertThat(claim(second, "second", BATCH)).isEmpty();
      assertThat(advisoryLocks(watching)).as("both have their turn").isEqualTo(2);
      second.rollback();
      first.commit();
      JDBC.update(watching, "DROP SCHEMA another_tenant CASCADE");
    }
  }

  @Test
  void aSmallClaimWaitsForNobody() throws Exception {
    try (Connection first = transaction();
        Connection second = transaction();
        Connection watching = target.connect()) {
      claim(first, "first", BATCH);
      assertThat(advisoryLocks(watching)).isEqualTo(1);
      first.commit();

      claim(second, "second", 50);
      assertThat(advisoryLocks(watching)).isZero();
      second.commit();
    }
  }

  private static int advisoryLocks(Connection conn) {
    return JDBC.query(
            conn,
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1869968482",
            row -> row.getInt(1))
        .get(0);
  }
}
