package io.outbox.jdbc.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import io.outbox.testdb.Database;
import io.outbox.testing.contract.OutboxStoreContract;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The contract of all stores on a database, and what only makes sense on one. */
abstract class JdbcOutboxStoreContract extends OutboxStoreContract {

  private static final JdbcTemplate JDBC = new JdbcTemplate();
  static final Instant AT = Instant.parse("2025-06-01T10:00:00.123456Z");

  final Target target;
  final AbstractJdbcOutboxStore store;

  JdbcOutboxStoreContract(Target target) {
    this.target = target;
    this.store = target.store();
  }

  @Override
  protected OutboxStore store() {
    return store;
  }

  @Override
  protected Connection openConnection() throws SQLException {
    return target.connect();
  }

  @Override
  protected void deleteAllEvents() throws SQLException {
    target.deleteAllEvents();
  }

  @Override
  protected Optional<OutboxEvent> findEvent(Connection conn, String eventId) {
    return target.find(conn, eventId);
  }

  @Override
  protected void setStatusCode(Connection conn, String eventId, int code) {
    target.setStatusCode(conn, eventId, code);
  }

  @Override
  protected void lockRow(Connection conn, String eventId) {
    target.lockRow(conn, eventId);
  }

  private static EventEnvelope event(String id) {
    return EventEnvelope.builder("Tested").eventId(id).occurredAt(AT).payloadJson("{}").build();
  }

  private static PendingQuery query(String claimAs, int limit) {
    return new PendingQuery(
        AT.plusSeconds(1), Duration.ZERO, limit, AT.minusSeconds(60), claimAs, null);
  }

  @Test
  void aRowInsertedByPlainSqlWithTheColumnsOfTheSpecificationIsDelivered() throws SQLException {
    try (Connection conn = openConnection()) {
      JDBC.update(
          conn,
          """
          INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, tenant_id,
            payload, headers, status, attempts, available_at, created_at)
          VALUES ('plain', 'Type', NULL, NULL, NULL, '{"a" : 1}', NULL, 0, 0, '%1$s', '%1$s')
          """
              .formatted(target.product().parameter(AT)));

      OutboxEvent claimed = store.fetchPending(conn, query("me", 10)).events().get(0);
      assertThat(claimed.payloadJson()).isEqualTo("{\"a\" : 1}");
      assertThat(claimed.createdAt()).isEqualTo(AT);
      assertThat(claimed.seq()).isPositive();
      assertThat(claimed.leaseNumber()).isEqualTo(1);
      assertThat(store.recordOutcomes(conn, List.of(Outcome.done(claimed.ref(), 0, AT))))
          .containsExactly(OutcomeResult.WRITTEN);
    }
  }

  // ---- a lease that is given back while a claim looks for rows

  @Test
  void R3_aRowThatIsGivenBackBetweenTwoLooksIsClaimedOnce() throws SQLException {
    EventRef leased = insertExpired("given-back", AT);

    assertThat(claimWhileGivenBack(leased, "(leased|locked)_at < \\?", 10))
        .extracting(OutboxEvent::eventId)
        .containsExactly("given-back");
  }

  @Test
  void R3_aRowThatIsGivenBackAfterBothLooksIsClaimedOnce() throws SQLException {
    try (Connection locking = openConnection()) {
      store.insertNew(locking, event("locked"));
      EventRef leased = insertExpired("given-back", AT.plusMillis(1));
      locking.setAutoCommit(false);
      lockRow(locking, "locked");

      // The batch is full and the first is locked, so the claim looks once more.
      assertThat(claimWhileGivenBack(leased, "(due|available)_at <= \\?", 2))
          .extracting(OutboxEvent::eventId)
          .containsOnlyOnce("given-back");
      locking.rollback();
    }
  }

  private EventRef insertExpired(String id, Instant at) throws SQLException {
    Lease lease = new Lease("other", AT.minusSeconds(600), Lease.BORN);
    EventEnvelope event =
        EventEnvelope.builder("Tested").eventId(id).occurredAt(at).payloadJson("{}").build();
    try (Connection conn = openConnection()) {
      store.insertAll(conn, List.of(new NewEvent(event, lease)));
    }
    return EventRef.leased(id, lease);
  }

  /** Claims; when a query like {@code sql} was answered, another node gives {@code lease} back. */
  private List<OutboxEvent> claimWhileGivenBack(EventRef lease, String sql, int limit)
      throws SQLException {
    try (Connection claiming = openConnection();
        Connection other = openConnection()) {
      AtomicBoolean givenBack = new AtomicBoolean();
      Connection watched =
          AnsweredQueries.of(
              claiming,
              answered -> {
                if (Pattern.compile(sql).matcher(answered).find()
                    && givenBack.compareAndSet(false, true)) {
                  store.releaseLeases(other, List.of(lease));
                }
              });
      List<OutboxEvent> claimed = store.fetchPending(watched, query("me", limit)).events();
      assertThat(givenBack).isTrue();
      return claimed;
    }
  }

  @Test
  void aRowNeedsExactlyOnePayload() throws SQLException {
    try (Connection conn = openConnection()) {
      String insert =
          """
          INSERT INTO outbox_event (event_id, event_type, status, available_at, created_at,
            payload, payload_bytes) VALUES ('plain', 'Type', 0, '%1$s', '%1$s', %2$s, %3$s)
          """;
      Object time = target.product().parameter(AT);
      assertThatThrownBy(() -> JDBC.update(conn, insert.formatted(time, "NULL", "NULL")))
          .isInstanceOf(OutboxStoreException.class);
      assertThatThrownBy(() -> JDBC.update(conn, insert.formatted(time, "'{}'", "X''")))
          .isInstanceOf(OutboxStoreException.class);
    }
  }

  @Test
  void R10_theTimeZonesOfTheSessionsDoNotMatter() throws SQLException {
    try (Connection tokyo = openConnection();
        Connection lima = openConnection()) {
      setTimeZone(tokyo, "+09:00");
      setTimeZone(lima, "-05:00");
      // At this hour clocks were put forward in Europe.
      Instant at = Instant.parse("2025-03-30T01:30:00.000001Z");
      EventEnvelope event =
          EventEnvelope.builder("Tested").occurredAt(at).payloadJson("{}").build();
      store.insertNew(tokyo, event);
      store.markRetry(tokyo, event.eventId(), at.plusSeconds(1), "error");

      OutboxEvent row = findEvent(lima, event.eventId()).orElseThrow();
      assertThat(row.createdAt()).isEqualTo(at);
      assertThat(row.availableAt()).isEqualTo(at.plusSeconds(1));
      assertThat(store.currentTime(tokyo).orElseThrow())
          .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
      assertThat(store.currentTime(lima).orElseThrow())
          .isCloseTo(Instant.now(), within(1, ChronoUnit.MINUTES));
    }
  }

  private void setTimeZone(Connection conn, String offset) {
    JDBC.update(
        conn,
        switch (target.product().family()) {
          case H2, OTHER -> "SET TIME ZONE '" + offset + "'";
          case POSTGRESQL -> "SET TIME ZONE INTERVAL '" + offset + "' HOUR TO MINUTE";
          case MYSQL -> "SET time_zone = '" + offset + "'";
        });
  }

  @Test
  void anIdThatIsTakenIsNamed() throws SQLException {
    try (Connection conn = openConnection()) {
      store.insertNew(conn, event("taken"));
      List<NewEvent> batch =
          List.of(NewEvent.unleased(event("free")), NewEvent.unleased(event("taken")));

      assertThatThrownBy(() -> store.insertNew(conn, event("taken")))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining("the event id already exists: taken")
          .hasMessageContaining("table outbox_event");
      assertThatThrownBy(() -> store.insertAll(conn, batch))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining("the event id already exists: taken");
    }
  }

  @Test
  void aMissingTableIsNamedWithWhereItsDdlIs() throws SQLException {
    AbstractJdbcOutboxStore nowhere = target.store("nowhere");
    try (Connection conn = openConnection()) {
      List<Runnable> uses =
          List.of(
              () -> nowhere.insertNew(conn, event("x")),
              () -> nowhere.markDone(conn, "x"),
              () -> nowhere.pollPending(conn, AT, Duration.ZERO, 1),
              () -> nowhere.claimPending(conn, "me", AT, AT, Duration.ZERO, 1),
              () -> nowhere.fetchPending(conn, query("me", 1)),
              () -> nowhere.recordOutcomes(conn, List.of(Outcome.done(EventRef.any("x"), 0, AT))),
              () -> nowhere.recordStart(conn, EventRef.any("x")),
              () -> nowhere.queryDead(conn, null, null, 1),
              () -> nowhere.backlog(conn, 1));
      for (Runnable use : uses) {
        assertThatThrownBy(use::run)
            .isInstanceOf(OutboxStoreException.class)
            .hasMessageContaining("table nowhere")
            .hasMessageContaining("is missing")
            .hasMessageContaining(target.product().ddlResource())
            .hasMessageContaining("OutboxSchema.create(dataSource, \"nowhere\")")
            .hasCauseInstanceOf(SQLException.class);
        assertThat(conn.getAutoCommit()).isTrue();
      }
    }
  }

  @Test
  void aMissingColumnIsNamed() throws SQLException {
    try (Database database = target.fresh()) {
      DataSource old = target.dataSource(database);
      OutboxSchema.create(old);
      try (Connection conn = old.getConnection()) {
        JDBC.update(conn, "ALTER TABLE outbox_event DROP COLUMN partition_key");
        assertThatThrownBy(() -> store.insertNew(conn, event("x")))
            .isInstanceOf(OutboxStoreException.class)
            .message()
            .containsIgnoringCase("partition_key")
            .contains("OutboxSchema.migrate(dataSource, \"outbox_event\")");
      }
    }
  }

  @Test
  void theStoreCanDelete() {
    assertThat(store.supportsDeletes()).isTrue();
  }

  @Test
  void R4_claimersOnAutoCommitConnectionsNeverGetTheSameEvent() throws Exception {
    List<NewEvent> events =
        IntStream.range(0, 300).mapToObj(i -> NewEvent.unleased(event("id-" + i))).toList();
    try (Connection conn = openConnection()) {
      store.insertAll(conn, events);
    }
    ExecutorService nodes = Executors.newFixedThreadPool(3);
    try {
      List<Callable<List<String>>> claimers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        String owner = "node-" + i;
        claimers.add(() -> claimAll(owner));
      }
      List<String> claimed = new ArrayList<>();
      for (Future<List<String>> claims : nodes.invokeAll(claimers)) {
        claimed.addAll(claims.get());
      }
      // What one node passed by because another had it locked is the other's.
      claimed.addAll(claimAll("last"));
      assertThat(claimed).doesNotHaveDuplicates().hasSize(300);
    } finally {
      nodes.shutdownNow();
    }
  }

  private List<String> claimAll(String owner) throws SQLException {
    List<String> claimed = new ArrayList<>();
    try (Connection conn = openConnection()) {
      List<OutboxEvent> batch;
      do {
        batch = store.fetchPending(conn, query(owner, 7)).events();
        batch.forEach(row -> claimed.add(row.eventId()));
        assertThat(conn.getAutoCommit()).isTrue();
      } while (!batch.isEmpty());
    }
    return claimed;
  }

  @Test
  void R4_twoOpenClaimsShareWhatIsDue() throws SQLException {
    try (Connection first = openConnection();
        Connection second = openConnection()) {
      store.insertAll(
          first, IntStream.range(0, 6).mapToObj(i -> NewEvent.unleased(event("id-" + i))).toList());
      first.setAutoCommit(false);
      second.setAutoCommit(false);
      store.prepareTransaction(first);
      store.prepareTransaction(second);

      List<OutboxEvent> ofFirst = store.fetchPending(first, query("first", 2)).events();
      List<OutboxEvent> ofSecond = store.fetchPending(second, query("second", 10)).events();
      assertThat(ofFirst).hasSize(2);
      // A database may lock the row after the last one it returns.
      assertThat(ofSecond)
          .hasSizeBetween(3, 4)
          .noneMatch(row -> ofFirst.stream().anyMatch(o -> o.eventId().equals(row.eventId())));
      first.rollback();
      second.rollback();
    }
  }

  @Test
  void R1_nothingWaitsForARowThatAnotherSessionHasLocked() throws SQLException {
    try (Connection conn = openConnection();
        Connection other = openConnection()) {
      JDBC.update(
          conn,
          switch (target.product().family()) {
            case H2, OTHER -> "SET LOCK_TIMEOUT 1000";
            case POSTGRESQL -> "SET lock_timeout = '1s'";
            case MYSQL -> "SET innodb_lock_wait_timeout = 1";
          });
      List<NewEvent> events =
          IntStream.range(0, 20).mapToObj(i -> NewEvent.unleased(event("id-" + i))).toList();
      store.insertAll(conn, events);
      other.setAutoCommit(false);
      lockRow(other, "id-9");

      List<OutboxEvent> claimed = store.fetchPending(conn, query("me", 100)).events();
      assertThat(claimed).hasSize(19);
      List<EventRef> refs = claimed.stream().map(OutboxEvent::ref).toList();
      assertThat(store.renewLeases(conn, refs, AT)).hasSize(19);
      store.releaseLeases(conn, refs);
      claimed = store.claimPending(conn, "me", AT, AT, Duration.ZERO, 100);
      assertThat(claimed).hasSize(19);
      List<Outcome> outcomes = claimed.stream().map(row -> Outcome.done(row.ref(), 0, AT)).toList();
      assertThat(store.recordOutcomes(conn, outcomes)).containsOnly(OutcomeResult.WRITTEN);
      assertThat(target.purger().purge(conn, AT.plusSeconds(1), 100)).isEqualTo(19);
      other.rollback();
    }
  }

  @Test
  void R1_aPurgeThatCameFirstLeavesNothingToReplay() throws Exception {
    EventPurger purger = target.purger();
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection purging = openConnection();
        Connection operator = openConnection()) {
      store.insertNew(purging, event("dead"));
      store.markDead(purging, "dead", "given up");
      purging.setAutoCommit(false);
      assertThat(purger.purge(purging, Instant.now().plusSeconds(60), 10)).isEqualTo(1);
      Future<Integer> replay = thread.submit(() -> store.replayDead(operator, "dead"));
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> replay.isDone() || isWaitingForALock());
      purging.commit();

      assertThat(replay.get()).isZero();
    } finally {
      thread.shutdownNow();
    }
  }

  private boolean isWaitingForALock() throws SQLException {
    String sql =
        switch (target.product().family()) {
          case H2, OTHER ->
              "SELECT 1 FROM information_schema.sessions WHERE executing_statement LIKE 'UPDATE%'";
          case POSTGRESQL -> "SELECT 1 FROM pg_locks WHERE NOT granted";
          case MYSQL -> "SELECT 1 FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'";
        };
    try (Connection conn = openConnection()) {
      return !JDBC.query(conn, sql, row -> row.getInt(1)).isEmpty();
    }
  }

  @Test
  void theIsolationOfTheSessionStaysAsItWas() throws SQLException {
    try (Connection conn = openConnection()) {
      int before = conn.getTransactionIsolation();
      store.insertNew(conn, event("x"));
      List<OutboxEvent> claimed = store.fetchPending(conn, query("me", 10)).events();
      store.recordOutcomes(conn, List.of(Outcome.done(claimed.get(0).ref(), 0, AT)));
      assertThat(conn.getTransactionIsolation()).isEqualTo(before);
    }
  }
}
