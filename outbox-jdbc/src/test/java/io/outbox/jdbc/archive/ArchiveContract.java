package io.outbox.jdbc.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventPage;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.spi.Outcome;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every archive must do on every database. */
abstract class ArchiveContract {

  static final String TABLE = "outbox_event";
  static final Instant T0 = Instant.parse("2026-03-01T10:00:00Z");
  static final Instant LATER = T0.plus(Duration.ofDays(1));
  static final JdbcTemplate JDBC = new JdbcTemplate();

  private final Target target;
  Database database;
  DataSource dataSource;
  AbstractJdbcOutboxStore store;

  ArchiveContract(Target target) {
    this.target = target;
  }

  abstract ArchivingPurger purger();

  abstract EventArchive archive();

  @BeforeEach
  void createDatabase() {
    database = target.fresh();
    dataSource = target.dataSource(database);
    OutboxSchema.create(dataSource, TABLE);
    OutboxSchema.createArchive(dataSource, TABLE);
    store = target.store(TABLE);
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  static EventEnvelope.Builder event(String id, Instant at) {
    return EventEnvelope.builder("OrderPlaced")
        .eventId(id)
        .occurredAt(at)
        .aggregateType("Order")
        .aggregateId("17")
        .payloadJson("{\"n\": 1}");
  }

  void insert(EventEnvelope event) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      store.insertNew(conn, event);
    }
  }

  void finish(String id, EventStatus status, String error) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      Outcome outcome = new Outcome(EventRef.any(id), status, 3, T0.plusSeconds(5), error);
      assertThat(store.recordOutcomes(conn, List.of(outcome))).hasSize(1);
    }
  }

  void insertDone(EventEnvelope event) throws SQLException {
    insert(event);
    finish(event.eventId(), EventStatus.DONE, null);
  }

  int purge(int limit) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      return purger().purge(conn, LATER, limit);
    }
  }

  OutboxOperator operator() {
    return OutboxOperator.of(dataSource::getConnection, store);
  }

  List<String> archived(EventFilter filter) {
    return ids(archive().search(filter, null, 100));
  }

  static List<String> ids(EventPage page) {
    return page.events().stream().map(EventSummary::eventId).toList();
  }

  @Test
  void everythingOfAnEventIsKept() throws SQLException {
    String payload = "{ \"b\": 1.0, \"a\": \"\\u00e9\\\\ \uD83D\uDE80 \\\"x\\\"\",\n \"b\": null}";
    insert(
        event("text", T0)
            .tenantId("t1")
            .orderingKey("key-1")
            .partitionKey("part")
            .header("trace", "a\nb")
            .payloadJson(payload)
            .build());
    insert(
        EventEnvelope.builder("Scanned")
            .eventId("bytes")
            .occurredAt(T0)
            .payloadBytes(new byte[] {0, 1, -1, '\n'}, "application/x-scan")
            .build());
    finish("text", EventStatus.DEAD, "no\tway: \"\u0001\"\n  at x");
    finish("bytes", EventStatus.DONE, null);
    OutboxEvent text = operator().find("text").orElseThrow();
    OutboxEvent bytes = operator().find("bytes").orElseThrow();

    assertThat(purge(10)).isEqualTo(2);

    assertThat(operator().find("text")).isEmpty();
    assertSame(archive().find("text").orElseThrow(), text);
    assertSame(archive().find("bytes").orElseThrow(), bytes);
    assertThat(archive().find("tex")).isEmpty();
    assertThat(archive().find("nowhere")).isEmpty();
  }

  private static void assertSame(OutboxEvent archived, OutboxEvent event) {
    assertThat(archived)
        .usingRecursiveComparison()
        .ignoringFields("key", "row.waitingSince", "row.built")
        .isEqualTo(event);
  }

  @Test
  void R1_whatIsPendingOrRecentStaysAndALimitIsALimit() throws SQLException {
    insert(event("pending", T0).build());
    insertDone(event("a", T0).build());
    insertDone(event("b", T0).build());
    insertDone(event("c", T0).build());

    assertThat(purge(2)).isEqualTo(2);
    assertThat(purge(2)).isEqualTo(1);
    assertThat(purge(2)).isZero();

    assertThat(archived(EventFilter.ALL)).containsExactlyInAnyOrder("a", "b", "c");
    assertThat(operator().find("pending")).isPresent();
  }

  @Test
  void R1_aTransactionThatIsRolledBackLeavesEventsWhereTheyAre() throws SQLException {
    insertDone(event("a", T0).build());
    try (Connection conn = dataSource.getConnection()) {
      conn.setAutoCommit(false);
      assertThat(purger().purge(conn, LATER, 10)).isEqualTo(1);
      conn.rollback();
      conn.setAutoCommit(true);
    }
    assertThat(operator().find("a")).isPresent();

    assertThat(purge(10)).isEqualTo(1);
    assertThat(archived(EventFilter.ALL)).contains("a");
    assertThat(operator().find("a")).isEmpty();
  }

  @Test
  void aSearchFindsByTimeTypeAndKey() throws SQLException {
    insertDone(event("a", T0).orderingKey("k1").tenantId("t1").build());
    insertDone(event("b", T0.plusSeconds(1)).aggregateId("18").build());
    insert(event("c", T0.plusSeconds(2)).build());
    finish("c", EventStatus.DEAD, "Timeout after 300 ms");
    insertDone(
        EventEnvelope.builder("Shipped").eventId("d").occurredAt(T0).payloadJson("1").build());
    purge(10);

    EventFilter.Builder filter = EventFilter.builder();
    assertThat(archived(filter.eventType("OrderPlaced").build()))
        .containsExactlyInAnyOrder("a", "b", "c");
    assertThat(archived(filter.aggregateId("17").build())).containsExactlyInAnyOrder("a", "c");
    assertThat(archived(filter.createdFrom(T0.plusSeconds(1)).build())).containsExactly("c");
    assertThat(archived(EventFilter.builder().createdUntil(T0.plusSeconds(1)).build()))
        .containsExactlyInAnyOrder("a", "d");
    assertThat(archived(EventFilter.builder().orderingKey("k1").build())).containsExactly("a");
    assertThat(archived(EventFilter.builder().tenantId("t1").build())).containsExactly("a");
    assertThat(archived(EventFilter.of(EventStatus.DEAD))).containsExactly("c");
    assertThat(archived(EventFilter.builder().errorContains("TIMEOUT").build()))
        .containsExactly("c");
    assertThat(archived(EventFilter.builder().errorPattern("Timeout after # ms").build()))
        .containsExactly("c");
    assertThat(archived(EventFilter.builder().leased(true).build())).isEmpty();
  }

  @Test
  void pagesShowEachEventOnce() throws SQLException {
    for (int i = 0; i < 7; i++) {
      insertDone(event("e" + i, T0.plusSeconds(i / 3)).build());
    }
    purge(3);
    purge(10);

    List<String> seen = new ArrayList<>();
    String after = null;
    do {
      EventPage page = archive().search(EventFilter.ALL, after, 2);
      assertThat(page.events()).hasSizeLessThanOrEqualTo(2);
      seen.addAll(ids(page));
      after = page.next();
    } while (after != null);

    assertThat(seen)
        .containsExactlyInAnyOrderElementsOf(IntStream.range(0, 7).mapToObj(i -> "e" + i).toList());
    for (String wrong : List.of("?", "eA", "")) {
      assertThatThrownBy(() -> archive().search(EventFilter.ALL, wrong, 2))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not from a page");
    }
  }

  @Test
  void aReplayedEventIsPendingAgainUnderItsId() throws SQLException {
    insert(event("a", T0).header("h", "1").orderingKey("k").build());
    finish("a", EventStatus.DEAD, "broken");
    insertDone(event("b", T0).build());
    OutboxEvent before = operator().find("a").orElseThrow();
    purge(10);

    ArchiveReplay replay = archive().as("ada").replay(EventFilter.of(EventStatus.DEAD));

    assertThat(replay).isEqualTo(new ArchiveReplay(1, 0, null));
    OutboxEvent again = operator().find("a").orElseThrow();
    assertThat(again.status()).isEqualTo(EventStatus.NEW);
    assertThat(again.attempts()).isZero();
    assertThat(again.payloadJson()).isEqualTo(before.payloadJson());
    assertThat(again.headersJson()).isEqualTo(before.headersJson());
    assertThat(again.createdAt()).isEqualTo(before.createdAt());
    assertThat(again.orderingKey()).isEqualTo("k");
    assertThat(again.leaseNumber()).isGreaterThan(before.leaseNumber());
    assertThat(again.seq()).isGreaterThan(before.seq());
    assertThat(again.replayedAt()).isNotNull();
    assertThat(operator().find("b")).isEmpty();
    AuditEntry entry = operator().audit(null, 1).get(0);
    assertThat(entry.who()).isEqualTo("ada");
    assertThat(entry.what()).isEqualTo("archive replay");
    assertThat(entry.count()).isEqualTo(1);
    assertThat(entry.finishedAt()).isNotNull();
  }

  @Test
  void R7_eventsOfAKeyAreReplayedInTheirOrder() throws SQLException {
    List<String> ids =
        IntStream.range(0, 250)
            .mapToObj(i -> UUID.nameUUIDFromBytes(new byte[] {(byte) i}).toString())
            .toList();
    for (int i = 0; i < ids.size(); i++) {
      insertDone(event(ids.get(i), T0.plusSeconds(i)).orderingKey("k").build());
    }
    purge(1_000);

    archive().replay(EventFilter.ALL);

    try (Connection conn = dataSource.getConnection()) {
      assertThat(
              JDBC.query(
                  conn, "SELECT event_id FROM outbox_event ORDER BY seq", row -> row.getString(1)))
          .containsExactlyElementsOf(ids);
    }
  }

  @Test
  void anEventThatTheTableHasIsLeftAlone() throws SQLException {
    insertDone(event("a", T0).build());
    insertDone(event("b", T0).build());
    purge(10);

    assertThat(archive().replay("a")).isTrue();
    assertThat(archive().replay("a")).isFalse();
    assertThat(archive().replay("nowhere")).isFalse();
    finish("a", EventStatus.DONE, null);
    assertThat(archive().replay(EventFilter.ALL)).isEqualTo(new ArchiveReplay(1, 1, null));
    assertThat(operator().find("a").orElseThrow().status()).isEqualTo(EventStatus.DONE);
    assertThat(operator().find("b").orElseThrow().status()).isEqualTo(EventStatus.NEW);
  }

  @Test
  void aReplayEndsAtItsLimitOrWhenItIsStopped() throws SQLException {
    for (int i = 0; i < 5; i++) {
      insertDone(event("e" + i, T0).build());
    }
    purge(10);

    assertThat(archive().replay(EventFilter.ALL, 2, progress -> true).replayed()).isEqualTo(2);
    operator().perform(new OperatorAction.Kill("over"), EventFilter.ALL);
    operator().perform(new OperatorAction.Purge(), EventFilter.ALL);
    assertThat(archive().replay(EventFilter.ALL, 3, progress -> false).replayed()).isEqualTo(3);
  }

  @Test
  void aReplayContinuesWhereAnotherEnded() throws SQLException {
    for (int i = 0; i < 5; i++) {
      insertDone(event("e" + i, T0).build());
    }
    purge(10);

    ArchiveReplay first = archive().replay(EventFilter.ALL, 2, progress -> true);
    execute("DELETE FROM outbox_event"); // as deleteOnDone does
    ArchiveReplay second = archive().replay(EventFilter.ALL, first.next(), 2, progress -> true);
    execute("DELETE FROM outbox_event");
    ArchiveReplay third = archive().replay(EventFilter.ALL, second.next(), 10, progress -> true);

    assertThat(first.finished()).isFalse();
    assertThat(third).isEqualTo(new ArchiveReplay(1, 0, null));
    assertThat(operator().find("e4")).isPresent();
  }

  @Test
  void aReplayRefusesACursorThatIsNotItsOwn() throws SQLException {
    for (int i = 0; i < 5; i++) {
      insertDone(event("e" + i, T0).build());
    }
    purge(10);
    EventFilter orders = EventFilter.builder().eventType("OrderPlaced").build();
    String listed = archive().search(orders, null, 2).next();
    String replayed = archive().replay(orders, 1, progress -> true).next();

    for (String wrong : List.of("eA", "", listed)) {
      assertThatThrownBy(() -> archive().replay(orders, wrong, 1, progress -> true))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not from a replay of this archive");
    }
    assertThatThrownBy(() -> archive().replay(EventFilter.ALL, replayed, 1, progress -> true))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is from a replay with another filter");
    assertThatThrownBy(() -> archive().search(orders, replayed, 2))
        .isInstanceOf(IllegalArgumentException.class);
    EventFilter same = EventFilter.builder().eventType("OrderPlaced").build();
    assertThat(archive().replay(same, replayed, 10, progress -> true).replayed()).isEqualTo(4);
  }

  @Test
  void aReplayThatFailsSaysWhereToContinue() throws SQLException {
    for (int i = 0; i < 101; i++) {
      insertDone(event("e" + i, T0).build());
    }
    purge(1_000);

    ArchiveReplayException failure =
        catchThrowableOfType(
            ArchiveReplayException.class,
            () -> archive().replay(EventFilter.ALL, 1_000, progress -> renameTable()));
    execute("ALTER TABLE outbox_renamed RENAME TO outbox_event");
    execute("DELETE FROM outbox_event"); // as deleteOnDone does

    ArchiveReplay soFar = failure.soFar();
    assertThat(soFar.replayed()).isEqualTo(100);
    assertThat(failure).hasMessageEndingWith("; continue with after=" + soFar.next());
    assertThat(archive().replay(EventFilter.ALL, soFar.next(), 1_000, progress -> true))
        .isEqualTo(new ArchiveReplay(1, 0, null));
  }

  private boolean renameTable() {
    try {
      execute("ALTER TABLE outbox_event RENAME TO outbox_renamed");
      return true;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aReplayThatContinuesPassesOverEventsThatWereArchivedSince() throws SQLException {
    insertDone(event("a", T0).build());
    insertDone(event("b", T0).build());
    purge(10);
    ArchiveReplay first = archive().replay(EventFilter.ALL, 1, progress -> true);
    finish("a", EventStatus.DONE, null);
    purge(10);

    assertThat(archive().replay(EventFilter.ALL, first.next(), 10, progress -> true))
        .isEqualTo(new ArchiveReplay(1, 0, null));
    assertThat(operator().find("a")).isEmpty();
    assertThat(operator().find("b")).isPresent();
  }

  @Test
  void anEventMayBeArchivedAndReplayedAgainAndAgain() throws SQLException {
    insertDone(event("a", T0).build());
    purge(10);
    for (int life = 1; life <= 3; life++) {
      assertThat(archive().replay("a")).isTrue();
      finish("a", EventStatus.DEAD, "life " + life);
      assertThat(purge(10)).isEqualTo(1);
      assertThat(archive().find("a").orElseThrow().lastError()).isEqualTo("life " + life);
    }
  }

  @Test
  void aReplayKnowsOnlyTheLatestLifeOfAnEvent() throws SQLException {
    insert(event("a", T0).build());
    finish("a", EventStatus.DEAD, "broken");
    purge(10);
    archive().replay("a");
    finish("a", EventStatus.DONE, null);
    purge(10);
    long leaseNumber = archive().find("a").orElseThrow().leaseNumber();

    assertThat(archive().replay(EventFilter.of(EventStatus.DEAD)))
        .isEqualTo(new ArchiveReplay(0, 0, null));
    assertThat(operator().find("a")).isEmpty();
    assertThat(archive().replay(EventFilter.ALL)).isEqualTo(new ArchiveReplay(1, 0, null));
    assertThat(operator().find("a").orElseThrow().leaseNumber()).isGreaterThan(leaseNumber);
  }

  @Test
  void aReplayNeedsTheAudit() throws SQLException {
    insertDone(event("a", T0).build());
    purge(10);
    execute("DROP TABLE outbox_event_audit");

    assertThatThrownBy(() -> archive().replay("a"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("OutboxSchema.createOperator");
  }

  final void execute(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      JDBC.update(conn, sql);
    }
  }

  final void assertPurgeFails(String message) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      assertThatThrownBy(() -> purger().purge(conn, LATER, 10))
          .isInstanceOf(OutboxStoreException.class)
          .hasMessageContaining(message);
      assertThat(conn.getAutoCommit()).isTrue();
    }
  }
}
