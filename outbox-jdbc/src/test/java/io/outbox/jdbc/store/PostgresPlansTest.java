package io.outbox.jdbc.store;

import static io.outbox.jdbc.store.PostgresPollCostContract.rowsReadBy;
import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventKey;
import io.outbox.model.EventRef;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostgresPlansTest {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final Instant AT = Instant.parse("2025-06-01T10:00:00Z");
  private static final int MANY = 50_000;

  /** After that many executions driver and server keep a plan. */
  private static final int EXECUTIONS = 20;

  private final Target target = Target.POSTGRES;
  private final PostgresOutboxStore store = new PostgresOutboxStore();

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R12_aPollIsNotPlannedForATableThatWasEmpty(boolean claiming) throws SQLException {
    try (Connection conn = emptyTable()) {
      for (int i = 0; i < EXECUTIONS; i++) {
        assertThat(fetch(conn, claiming)).isZero();
      }
      fill(conn);

      assertThat(fetch(conn, claiming)).isEqualTo(100);
      assertThat(rowsReadBy(conn)).isLessThan(2_000);
      conn.rollback();
    }
  }

  @Test
  void R12_manyOutcomesAreNotPlannedForATableThatWasEmpty() throws SQLException {
    try (Connection conn = emptyTable()) {
      for (int i = 0; i < EXECUTIONS; i++) {
        assertThat(write(conn)).containsOnly(OutcomeResult.LOST);
      }
      fill(conn);

      assertThat(write(conn)).containsOnly(OutcomeResult.WRITTEN);
      assertThat(rowsReadBy(conn)).isLessThan(2_000);
      conn.rollback();
    }
  }

  @Test
  void R12_manyOutcomesOfLeasedEventsDoNotReadAllThatAreLeased() throws SQLException {
    try (Connection conn = emptyTable()) {
      fill(conn);
      JDBC.update(
          conn, "UPDATE outbox_event SET locked_by = 'me', lease_no = 1, locked_at = now()");
      conn.commit();
      long before = rowsReadBy(conn); // the server forgets them later

      assertThat(write(conn, n -> new EventRef("e" + n, 1, "me")))
          .containsOnly(OutcomeResult.WRITTEN);
      assertThat(rowsReadBy(conn) - before).isLessThan(2_000);
      conn.rollback();
    }
  }

  /** Blocks of keys, or triggers at the commit, may have to wait longer. */
  @Test
  void manyOutcomesLeaveTheSettingsOfTheirTransactionAsTheyWere() throws SQLException {
    try (Connection conn = emptyTable()) {
      fill(conn);
      JDBC.update(conn, "SET LOCAL lock_timeout = '3s'");

      assertThat(write(conn)).containsOnly(OutcomeResult.WRITTEN);
      assertThat(settings(conn)).containsExactly("3s auto");
      assertThat(write(conn)).as("written before").containsOnly(OutcomeResult.ALREADY_THERE);
      assertThat(settings(conn)).first().asString().startsWith("3s ");
      conn.rollback();
    }
  }

  private static List<String> settings(Connection conn) {
    return JDBC.query(
        conn,
        "SELECT current_setting('lock_timeout') || ' ' || current_setting('plan_cache_mode')",
        row -> row.getString(1));
  }

  /** Its settings come with it in one call, and end with it. */
  @Test
  void R12_aLookAtKeysIsNotPlannedForATableThatWasEmpty() throws SQLException {
    try (Database database = target.fresh();
        Connection conn = target.dataSource(database).getConnection()) {
      OutboxSchema.create(target.dataSource(database));
      OutboxSchema.createOrderedByKey(target.dataSource(database));
      JDBC.update(conn, "VACUUM ANALYZE outbox_event");
      for (int i = 0; i < EXECUTIONS; i++) {
        assertThat(withOthers(conn)).isEmpty();
      }
      fill(conn);
      for (int i = 0; i < EXECUTIONS; i++) {
        assertThat(withOthers(conn)).containsOnly(EventKey.named("e7"));
      }
      assertThat(JDBC.query(conn, "SHOW plan_cache_mode", row -> row.getString(1)))
          .containsExactly("auto");
      conn.setAutoCommit(false);

      assertThat(withOthers(conn)).containsOnly(EventKey.named("e7"));
      assertThat(rowsReadBy(conn)).isLessThan(1_000);
      conn.rollback();
    }
  }

  private Set<EventKey> withOthers(Connection conn) {
    Map<EventKey, String> asked = Map.of(EventKey.named("e7"), "another");
    return store.lanes().orElseThrow().withOthers(conn, asked).orElseThrow();
  }

  /** The places of finished events have nothing to do with their times, as after many purges. */
  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R12_aBacklogIsNotCollectedAndSortedForEachBatch(boolean claiming) throws SQLException {
    try (Connection conn = emptyTable()) {
      fill(conn, "f", 2 * MANY, 1, "- (n * 7919 % 10007) * interval '1 s'");
      fill(conn, "e", MANY / 10, 0, "+ n * interval '1 us'");
      conn.commit();
      JDBC.update(conn, "ANALYZE outbox_event");
      conn.commit();

      PollCursor halfway = new PollCursor(AT.plusNanos(MANY / 20 * 1_000L), 0, null, 0);
      assertThat(fetch(conn, claiming, halfway)).isEqualTo(100);
      assertThat(rowsReadBy(conn)).isLessThan(1_000);
      conn.rollback();
    }
  }

  private Connection emptyTable() throws SQLException {
    target.deleteAllEvents();
    Connection conn = target.connect();
    JDBC.update(conn, "VACUUM ANALYZE outbox_event");
    conn.setAutoCommit(false);
    return conn;
  }

  private int fetch(Connection conn, boolean claiming) {
    return fetch(conn, claiming, null);
  }

  private int fetch(Connection conn, boolean claiming, PollCursor after) {
    PendingQuery query =
        new PendingQuery(
            AT.plusSeconds(1),
            Duration.ZERO,
            100,
            AT.minusSeconds(60),
            claiming ? "me" : null,
            1 << 24,
            List.of(),
            after);
    return store.fetchPending(conn, query).events().size();
  }

  private List<OutcomeResult> write(Connection conn) {
    return write(conn, n -> EventRef.any("e" + n));
  }

  private List<OutcomeResult> write(Connection conn, IntFunction<EventRef> refs) {
    return store.recordOutcomes(
        conn,
        IntStream.rangeClosed(1, 50).mapToObj(refs).map(ref -> Outcome.done(ref, 0, AT)).toList());
  }

  private void fill(Connection conn) {
    fill(conn, "e", MANY, 0, "");
  }

  /** {@code later} is an interval to add, for the n-th. */
  private void fill(Connection conn, String prefix, int count, int status, String later) {
    JDBC.update(
        conn,
        """
        INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at)
        SELECT '%s' || n, 'Tested', '{}', %s, ?::timestamptz %s, ?
        FROM generate_series(1, %s) n
        """
            .formatted(prefix, status, later, count),
        target.product().parameter(AT),
        target.product().parameter(AT));
  }
}
