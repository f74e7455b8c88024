package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventRef;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OperatorAction;
import io.outbox.spi.OperatorStore;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.spi.OutcomeResult;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link OutboxSchema#createWaiting} must do on every database. */
abstract class WaitingSchemaContract extends SchemaAdditionContract {

  private static final String TABLE = "outbox_event";
  private static final Instant T0 = Instant.parse("2025-06-01T10:00:00Z");
  private static final Instant LATER = T0.plusSeconds(600);

  WaitingSchemaContract(Target target) {
    super(target);
  }

  @Override
  void createAndUse(String table) throws SQLException {
    OutboxSchema.create(dataSource, table);
    assertThat(OutboxSchema.problems(dataSource, table, Addition.WAITING)).isEmpty();
    assertThat(oldestAfterADeferral(table)).isEqualTo(T0);
  }

  /** With a store of its own, as after a restart. */
  private Instant oldestAfterADeferral(String table) throws SQLException {
    OutboxStore store = target.store(table);
    EventEnvelope event = insert(store);
    try (Connection conn = dataSource.getConnection()) {
      store.recordOutcomes(
          conn, List.of(Outcome.deferred(EventRef.any(event.eventId()), 0, LATER)));
      return store.backlog(conn, 10).orElseThrow().oldestWaiting();
    }
  }

  private EventEnvelope insert(OutboxStore store) throws SQLException {
    EventEnvelope event = EventEnvelope.builder("Tested").occurredAt(T0).payloadJson("{}").build();
    try (Connection conn = dataSource.getConnection()) {
      store.insertNew(conn, event);
    }
    return event;
  }

  final void remove() throws SQLException {
    execute(
        target.dropIndex("outbox_event_waiting"),
        "ALTER TABLE outbox_event DROP COLUMN waiting_since");
  }

  @Test
  void anEarlierTableWithRowsGetsItByMigrationAndKeepsThem() throws SQLException {
    OutboxSchema.create(dataSource);
    remove();
    EventEnvelope kept = insert(target.store(TABLE));
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.WAITING))
        .containsExactly(
            "column waiting_since is missing", "index outbox_event_waiting is missing");

    OutboxSchema.migrate(dataSource);

    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.WAITING)).isEmpty();
    assertThat(oldestAfterADeferral(TABLE)).isEqualTo(T0);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(target.find(conn, kept.eventId())).isPresent();
    }
  }

  @Test
  void aTableThatIsThereIsNotChangedByCreate() throws SQLException {
    OutboxSchema.create(dataSource);
    remove();
    OutboxSchema.create(dataSource);
    OutboxSchema.validate(dataSource);
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.WAITING)).hasSize(2);
  }

  @Test
  void withoutItAStoreDoesEverythingButKeepTheFirstDueTime() throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    remove();
    OutboxStore store = target.store(TABLE);
    assertThat(oldestAfterADeferral(TABLE)).isEqualTo(LATER);
    try (Connection conn = dataSource.getConnection()) {
      Instant now = LATER.plusSeconds(1);
      conn.setAutoCommit(false);
      OutboxEvent claimed =
          store
              .fetchPending(
                  conn, new PendingQuery(now, Duration.ZERO, 10, now.minusSeconds(60), "n", null))
              .events()
              .get(0);
      assertThat(store.renewLeases(conn, List.of(claimed.ref()), now)).hasSize(1);
      assertThat(store.recordOutcomes(conn, List.of(Outcome.retry(claimed.ref(), 1, now, "e"))))
          .containsExactly(OutcomeResult.WRITTEN);
      assertThat(store.pollPending(conn, now, Duration.ZERO, 10)).hasSize(1);
      assertThat(store.claimPending(conn, "n", now, now.minusSeconds(60), Duration.ZERO, 10))
          .hasSize(1);
      String id = claimed.eventId();
      assertThat(store.markRetry(conn, id, now, "e")).isOne();
      assertThat(store.markDeferred(conn, id, now)).isOne();
      assertThat(store.markDead(conn, id, "e")).isOne();
      assertThat(store.queryDead(conn, null, null, 10)).hasSize(1);
      assertThat(store.replayDead(conn, id)).isOne();
      assertThat(store.backlog(conn, 10).orElseThrow().count(EventStatus.NEW)).isOne();
      OperatorStore operator = store.operator().orElseThrow();
      OutboxEvent found = operator.find(conn, id).orElseThrow();
      assertThat(operator.neighbors(conn, found, 5, 100)).isEmpty();
      assertThat(operator.search(conn, EventFilter.ALL, null, 10, 100).events())
          .extracting(EventSummary::waitingSince)
          .containsOnlyNulls();
      EventFilter typed = EventFilter.builder().eventType("Tested").build();
      assertThat(operator.search(conn, typed, null, 10, 100).events()).isNotEmpty();
      assertThat(operator.overview(conn, now, now).oldestPending()).isNotNull();
      assertThat(
              operator.change(
                  conn, new OperatorAction.Kill("no"), operator.summaries(conn, List.of(id)), now))
          .containsExactly(id);
      assertThat(
              operator.change(
                  conn, new OperatorAction.Replay(), operator.summaries(conn, List.of(id)), now))
          .containsExactly(id);
      assertThat(store.markDone(conn, id)).isOne();
      conn.commit();
    }
  }

  @Test
  void listsSaySinceWhenADeferredEventWaits() throws SQLException {
    OutboxSchema.create(dataSource);
    oldestAfterADeferral(TABLE);
    OperatorStore operator = target.store(TABLE).operator().orElseThrow();
    try (Connection conn = dataSource.getConnection()) {
      assertThat(operator.search(conn, EventFilter.ALL, null, 10, 100).events())
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.waitingSince()).isEqualTo(T0);
                assertThat(event.availableAt()).isEqualTo(LATER);
                assertThat(operator.summaries(conn, List.of(event.eventId())))
                    .containsExactly(event);
              });
    }
  }

  @Test
  void whatANodeOfAnEarlierVersionDeliveredDoesNotCount() throws SQLException {
    OutboxSchema.create(dataSource);
    assertThat(oldestAfterADeferral(TABLE)).isEqualTo(T0);
    execute("UPDATE outbox_event SET status = 1, done_at = available_at");
    OutboxStore store = target.store(TABLE);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(store.backlog(conn, 10).orElseThrow().oldestWaiting()).isNull();
      assertThat(store.operator().orElseThrow().overview(conn, LATER, LATER).oldestPending())
          .isNull();
    }
  }

  @Test
  void theDdlHasTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.WAITING))
        .contains("ALTER TABLE app.my_events ADD COLUMN waiting_since")
        .doesNotContain("outbox_event");
    assertThat(List.of("h2", "postgresql", "mysql", "mariadb"))
        .allSatisfy(
            product ->
                assertThat(OutboxSchema.ddl(product, TABLE, Addition.WAITING))
                    .contains("CREATE INDEX outbox_event_waiting ON outbox_event"));
  }

  @Test
  void withoutAnOutboxTableThereIsNothingToAddItTo() {
    assertThatThrownBy(() -> OutboxSchema.createWaiting(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("the table is missing");
  }

  @Test
  void nodesThatStartTogetherCreateItOnce() throws Exception {
    OutboxSchema.create(dataSource);
    remove();
    fourTimesAtOnce(() -> OutboxSchema.createWaiting(dataSource, TABLE));
    assertThat(oldestAfterADeferral(TABLE)).isEqualTo(T0);
  }
}
