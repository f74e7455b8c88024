package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.EventPurger;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.spi.PollCursor;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/**
 * R12: what statements read in a table with very many rows each of DONE, not due, and leased to
 * somebody, and then as many due on top. The database says what was really read. Every statement is
 * run often enough to be planned for good, and nothing told the planner about the rows.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
abstract class PollCostContract {

  static final JdbcTemplate JDBC = new JdbcTemplate();

  private static final int BATCH = 50;
  private static final int ROUNDS = 12;
  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");
  private static final Instant LOCK_EXPIRY = NOW.minusSeconds(300);

  final int many;
  private final Target target;
  private final AbstractJdbcOutboxStore store;
  private final EventPurger purger;
  private Database database;
  private DataSource dataSource;
  private Connection conn;

  PollCostContract(Target target, EventPurger purger, int many) {
    this.target = target;
    this.many = many;
    this.store = target.store();
    this.purger = purger;
  }

  /** Rows and index entries that the connection has read so far. */
  abstract long rowsRead(Connection conn);

  /** A table expression with a column n from 1 to {@code many}, at most a million. */
  abstract String numbers();

  /** Keeps the database from learning about the rows by itself. */
  abstract void takeStatisticsByHandOnly(Connection conn);

  abstract void takeStatistics(Connection conn);

  private interface Work<T> {
    T run() throws SQLException;
  }

  private <T> T reading(long atMost, String what, Work<T> work) throws SQLException {
    long before = rowsRead(conn);
    T result = work.run();
    long read = rowsRead(conn) - before;
    assertThat(read).as("rows read to " + what).isLessThanOrEqualTo(atMost);
    return result;
  }

  @BeforeAll
  void fill() throws SQLException {
    database = target.fresh();
    dataSource = target.dataSource(database);
    OutboxSchema.create(dataSource);
    try (Connection filling = dataSource.getConnection()) {
      takeStatisticsByHandOnly(filling);
      takeStatistics(filling);
      insertMany(filling, "done", 1, NOW.minusSeconds(90_000), NOW.minusSeconds(80_000), null);
      insertMany(filling, "later", 0, NOW.plusSeconds(1), null, null);
      insertMany(filling, "leased", 2, NOW.minusSeconds(9_000), null, LOCK_EXPIRY);
      insertFew(filling, "due", 0, NOW.minusSeconds(100), null);
      insertFew(filling, "expired", 2, NOW.minusSeconds(8_000), LOCK_EXPIRY.minusSeconds(100));
      insertFew(filling, "dead", 3, NOW.minusSeconds(100), null);
      insertFew(filling, "odd", 7, NOW.minusSeconds(100), null);
      waiting(filling, "later", NOW.minusSeconds(20_000));
      waiting(filling, "dead", NOW.minusSeconds(30_000)); // by a node that knows no mark
    }
  }

  /** As if they had been deferred. */
  private void waiting(Connection filling, String name, Instant since) {
    JDBC.update(
        filling,
        "UPDATE outbox_event SET waiting_since = %s WHERE event_id LIKE '%s-%%'"
            .formatted(literal(since), name));
  }

  private void insertMany(
      Connection filling,
      String name,
      int status,
      Instant availableAt,
      Instant doneAt,
      Instant lockedAt) {
    insert(filling, name, "Type", status, availableAt, doneAt, lockedAt, numbers());
  }

  /** As many as a batch and a half. */
  private void insertFew(
      Connection filling, String name, int status, Instant availableAt, Instant lockedAt) {
    String numbers =
        IntStream.rangeClosed(1, BATCH * 3 / 2)
            .mapToObj(n -> "SELECT " + n + " AS n")
            .collect(Collectors.joining(" UNION ALL ", "(", ") few"));
    insert(filling, name, "Type", status, availableAt, null, lockedAt, numbers);
  }

  private void insert(
      Connection filling,
      String name,
      String type,
      int status,
      Instant availableAt,
      Instant doneAt,
      Instant lockedAt,
      String numbers) {
    JDBC.update(
        filling,
        """
        INSERT INTO outbox_event (event_id, event_type, payload, status, available_at, created_at,
          done_at, locked_by, locked_at)
        SELECT concat('%s-', 1000000 + n), '%s', '{}', %s, %s, %s, %s, %s, %s FROM %s
        """
            .formatted(
                name,
                type,
                status,
                literal(availableAt),
                literal(NOW.minusSeconds(100_000)),
                literal(doneAt),
                lockedAt == null ? "NULL" : "'other'",
                literal(lockedAt),
                numbers));
  }

  private String literal(Instant instant) {
    return instant == null ? "NULL" : "'" + target.product().parameter(instant) + "'";
  }

  @AfterAll
  void drop() {
    database.close();
  }

  @BeforeEach
  void begin() throws SQLException {
    conn = dataSource.getConnection();
    conn.setAutoCommit(false);
  }

  @AfterEach
  void rollBack() throws SQLException {
    conn.rollback();
    conn.close();
  }

  private PendingBatch fetch(String claimAs, PollCursor after) {
    return store.fetchPending(
        conn, new PendingQuery(NOW, Duration.ZERO, BATCH, LOCK_EXPIRY, claimAs, after));
  }

  @Test
  @Order(1)
  void R12_aClaimReadsAboutWhatItReturnsBesideVeryManyOthers() throws SQLException {
    for (int i = 0; i < ROUNDS; i++) {
      claimAll(BATCH * 3);
      conn.rollback();
    }
  }

  private void claimAll(int expected) throws SQLException {
    int claimed = 0;
    PollCursor cursor = null;
    PendingBatch batch;
    do {
      PollCursor after = cursor;
      batch = reading(BATCH * 8, "claim a batch", () -> fetch("me", after));
      cursor = batch.cursor().orElseThrow();
      claimed += batch.events().size();
    } while (batch.events().size() == BATCH);
    assertThat(claimed).isEqualTo(expected);
    assertThat(batch.nextDue()).contains(NOW.plusSeconds(1));
  }

  @Test
  @Order(2)
  void R12_aPollWithoutClaimingReadsAboutWhatItReturns() throws SQLException {
    for (int i = 0; i < ROUNDS; i++) {
      PendingBatch first = reading(BATCH * 5, "read a batch", () -> fetch(null, null));
      PollCursor cursor = first.cursor().orElseThrow();
      PendingBatch second = reading(BATCH * 5, "read the next", () -> fetch(null, cursor));
      assertThat(first.events()).hasSize(BATCH);
      assertThat(second.events()).hasSize(BATCH).doesNotContainAnyElementsOf(first.events());
    }
  }

  @Test
  @Order(3)
  void outcomesReadAboutWhatTheyWrite() throws SQLException {
    List<OutboxEvent> claimed = fetch("me", null).events();
    for (int i = 0; i < ROUNDS; i++) {
      int attempts = i;
      List<Outcome> outcomes =
          claimed.stream().map(row -> Outcome.retry(row.ref(), attempts, NOW, "error")).toList();
      reading(BATCH * 12, "write outcomes", () -> store.recordOutcomes(conn, outcomes));
      reading(
          BATCH * 12,
          "renew leases",
          () -> store.renewLeases(conn, claimed.stream().map(OutboxEvent::ref).toList(), NOW));
    }
  }

  @Test
  @Order(3)
  void deletesReadAboutWhatTheyDelete() throws SQLException {
    for (int i = 0; i < ROUNDS; i++) {
      List<Outcome> outcomes =
          IntStream.rangeClosed(i * BATCH + 1, (i + 1) * BATCH)
              .mapToObj(n -> Outcome.deleted(EventRef.any("later-" + (1_000_000 + n)), 0, NOW))
              .toList();
      assertThat(reading(BATCH * 12, "delete events", () -> store.recordOutcomes(conn, outcomes)))
          .containsOnly(OutcomeResult.WRITTEN);
    }
  }

  @Test
  @Order(4)
  void aPurgeReadsAboutWhatItDeletes() throws SQLException {
    takeStatistics(conn);
    for (int i = 0; i < ROUNDS; i++) {
      Instant longAgo = NOW.minusSeconds(1000);
      // The entries of rows just deleted stay in their page of the index for a while.
      assertThat(reading(BATCH * 20, "purge", () -> purger.purge(conn, longAgo, BATCH)))
          .isEqualTo(BATCH);
      assertThat(reading(BATCH, "purge nothing", () -> purger.purge(conn, Instant.EPOCH, BATCH)))
          .isZero();
      conn.commit();
    }
  }

  @Test
  @Order(4)
  void whatAnOperatorAsksForIsReadFromIndexes() throws SQLException {
    takeStatistics(conn);
    int few = BATCH * 3 / 2;
    for (int i = 0; i < ROUNDS; i++) {
      assertThat(reading(few * 4, "count dead", () -> store.countDead(conn, null))).isEqualTo(few);
      assertThat(reading(few * 4, "list dead", () -> store.queryDead(conn, null, null, 10)))
          .hasSize(10);
      assertThat(reading(few * 4, "count unknown", () -> store.countUnknownStatus(conn)))
          .isEqualTo(few);
      int cap = 1000;
      Backlog backlog = reading(cap * 12, "see the backlog", () -> store.backlog(conn, cap).get());
      assertThat(backlog.count(EventStatus.NEW)).isEqualTo(cap);
      assertThat(backlog.count(EventStatus.RETRY)).isEqualTo(cap);
      assertThat(backlog.count(EventStatus.DONE)).isEqualTo(cap);
      assertThat(backlog.count(EventStatus.DEAD)).isEqualTo(few);
      assertThat(backlog.oldestWaiting()).isEqualTo(NOW.minusSeconds(20_000));
    }
  }

  @Test
  @Order(2)
  void R12_R24_theLagIsReadFromTheFrontOfIndexes() throws SQLException {
    for (int i = 0; i < ROUNDS; i++) {
      Backlog backlog = reading(BATCH * 16, "see the lag", () -> store.backlog(conn, 1).get());
      assertThat(backlog.oldestWaiting()).isEqualTo(NOW.minusSeconds(20_000));
    }
  }

  @Test
  @Order(5)
  void R12_aClaimReadsAsLittleOnceThePlannerKnowsTheTable() throws SQLException {
    takeStatistics(conn);
    R12_aClaimReadsAboutWhatItReturnsBesideVeryManyOthers();
  }

  @Test
  @Order(6)
  void R12_veryManyDueRowsOfOneInstantAreReadABatchAtATime() throws SQLException {
    try (Connection filling = dataSource.getConnection()) {
      insertMany(filling, "alsodue", 0, NOW.minusSeconds(50), null, null);
    }
    PollCursor cursor = null;
    for (int i = 0; i < ROUNDS; i++) {
      PollCursor after = cursor;
      PendingBatch batch = reading(BATCH * 8, "claim a batch", () -> fetch("me", after));
      assertThat(batch.events()).hasSize(BATCH);
      cursor = batch.cursor().orElseThrow();
    }
    // From the middle of the rows that share an instant.
    PollCursor middle =
        new PollCursor(
            NOW.minusSeconds(50),
            cursor.dueSeq() + many / 2,
            cursor.leasedAt(),
            cursor.leasedSeq());
    PendingBatch batch = reading(BATCH * 8, "claim in the middle", () -> fetch("me", middle));
    assertThat(batch.events()).hasSize(BATCH).allMatch(row -> row.seq() > middle.dueSeq());
  }

  private PendingBatch fetchUnpaused(String claimAs, PollCursor after, Instant now) {
    return store.fetchPending(
        conn,
        new PendingQuery(
            now,
            Duration.ZERO,
            BATCH,
            LOCK_EXPIRY,
            claimAs,
            1 << 30,
            List.of(new EventRoute(null, "Paused")),
            after));
  }

  /** The first poll passes them, those behind its cursor do not see them. */
  @Test
  @Order(7)
  void R12_veryManyPausedRowsAreReadOnceNotByEachPoll() throws SQLException {
    Instant now = NOW.minusSeconds(60);
    try (Connection filling = dataSource.getConnection()) {
      insert(filling, "paused", "Paused", 0, now.minusSeconds(8_000), null, null, numbers());
      insertFew(filling, "behind", 0, now.minusSeconds(70), null);
    }
    PendingBatch batch = fetchUnpaused("me", null, now);
    while (batch.cursor().orElseThrow().dueAt() == null) { // expired leases come first
      assertThat(batch.events()).hasSize(BATCH);
      batch = fetchUnpaused("me", batch.cursor().orElseThrow(), now);
    }
    for (int i = 0; i < ROUNDS; i++) {
      PollCursor after = batch.cursor().orElseThrow();
      Instant later = now.plusMillis(i);
      batch =
          reading(BATCH * 8, "claim behind paused rows", () -> fetchUnpaused("me", after, later));
      assertThat(batch.events()).allMatch(row -> row.eventType().equals("Type"));
    }
    assertThat(batch.events()).isEmpty();
  }
}
