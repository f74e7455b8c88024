package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.PendingQuery;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TimeZone;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link OutboxSchema} must do on every database. */
abstract class SchemaContract extends SpecTable {

  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");

  SchemaContract(Target target) {
    super(target);
  }

  private List<OutboxEvent> fetch(String table, int limit) throws SQLException {
    OutboxStore store = target.store(table);
    try (Connection conn = dataSource.getConnection()) {
      return store
          .fetchPending(conn, new PendingQuery(NOW, Duration.ZERO, limit, NOW, null, null))
          .events();
    }
  }

  @Test
  void whatWasCreatedIsValidAndCreatingItAgainChangesNothing() throws SQLException {
    OutboxSchema.create(dataSource);
    insert("outbox_event", "kept");
    OutboxSchema.create(dataSource);
    OutboxSchema.migrate(dataSource);
    OutboxSchema.validate(dataSource);

    assertThat(fetch("outbox_event", 10)).extracting(OutboxEvent::eventId).containsExactly("kept");
  }

  private void insert(String table, String eventId) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      EventEnvelope event =
          EventEnvelope.builder("Tested")
              .eventId(eventId)
              .occurredAt(NOW)
              .payloadJson("{}")
              .build();
      target.store(table).insertAll(conn, List.of(NewEvent.unleased(event)));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Orders_Outbox", "%s.outbox_event", "%s.MyEvents"})
  void aTableOfAnotherNameOrSchemaWorks(String name) throws SQLException {
    String schema = "other_" + database.name();
    String table = name.formatted(schema);
    execute("CREATE SCHEMA " + schema);
    try {
      OutboxSchema.create(dataSource, table);
      OutboxSchema.create(dataSource);
      OutboxSchema.validate(dataSource, table);
      insert(table, "mine");

      assertThat(fetch(table, 10)).extracting(OutboxEvent::eventId).containsExactly("mine");
      assertThat(fetch("outbox_event", 10)).isEmpty();
    } finally {
      execute(target.dropSchema(schema));
    }
  }

  @Test
  void R17_aBadTableNameIsRefusedBeforeAnythingHappens() {
    for (String bad : List.of("", "1st", "a-b", "a.b.c", "x; DROP TABLE y", "x".repeat(51))) {
      assertThatThrownBy(() -> OutboxSchema.create(dataSource, bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + bad + "'");
    }
  }

  @Test
  void aMissingTableIsNamedTogetherWithItsDdl() {
    assertThatThrownBy(() -> OutboxSchema.validate(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("nowhere")
        .hasMessageContaining("the table is missing")
        .hasMessageContaining(target.product().ddlResource())
        .hasMessageContaining("OutboxSchema.create(dataSource, \"nowhere\")");
  }

  @Test
  void everythingThatIsMissingIsListedAtOnce() throws SQLException {
    OutboxSchema.create(dataSource);
    execute(
        "ALTER TABLE outbox_event DROP COLUMN starts",
        "ALTER TABLE outbox_event DROP COLUMN tenant_id",
        target.dropIndex("outbox_event_leased"));

    assertThatThrownBy(() -> OutboxSchema.validate(dataSource))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("table outbox_event")
        .hasMessageContaining("column starts is missing")
        .hasMessageContaining("column tenant_id is missing")
        .hasMessageContaining("index outbox_event_leased is missing")
        .hasMessageContaining(target.product().ddlResource());
    assertThatThrownBy(() -> OutboxSchema.create(dataSource))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("column starts is missing");
    assertThat(OutboxSchema.problems(dataSource, "outbox_event"))
        .containsExactlyInAnyOrder(
            "column starts is missing",
            "column tenant_id is missing",
            "index outbox_event_leased is missing");

    OutboxSchema.migrate(dataSource);
    OutboxSchema.validate(dataSource);
  }

  @Test
  void whatIsMissingOfTheAdditionsIsListedToo() {
    OutboxSchema.create(dataSource);
    assertThat(OutboxSchema.problems(dataSource, "outbox_event")).isEmpty();
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR)).isEmpty();
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR_INDEXES))
        .contains("index outbox_event_op_created is missing");
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.ORDERED_BY_KEY))
        .contains("table outbox_event_lane is missing");

    OutboxSchema.createOperatorIndexes(dataSource, "outbox_event");
    OutboxSchema.createOrderedByKey(dataSource);

    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR_INDEXES))
        .isEmpty();
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.ORDERED_BY_KEY))
        .isEmpty();
    assertThat(OutboxSchema.problems(dataSource, "nowhere"))
        .containsExactly("the table is missing");
  }

  @Test
  void nodesThatStartTogetherCreateOneTable() throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      List<Callable<Void>> starts = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        starts.add(
            () -> {
              OutboxSchema.create(dataSource);
              return null;
            });
      }
      for (Future<Void> start : nodes.invokeAll(starts)) {
        start.get();
      }
    } finally {
      nodes.shutdownNow();
    }
    OutboxSchema.validate(dataSource);
  }

  @Test
  void anIndexForAgeBasedPurgersIsMadeOnRequestAndOnce() throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createAgeIndex(dataSource, "outbox_event");
    OutboxSchema.createAgeIndex(dataSource, "outbox_event");

    assertThatCode(() -> execute(target.dropIndex("outbox_event_created")))
        .doesNotThrowAnyException();
  }

  @Test
  void theDdlIsThatOfTheDatabaseWithTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events"))
        .contains("CREATE TABLE app.my_events")
        .contains("my_events_due")
        .doesNotContain("outbox_event");
  }

  @Test
  void aFilledTableOfTheSpecificationIsMigratedAndLosesNothing() throws SQLException {
    TimeZone zone = TimeZone.getDefault();
    TimeZone.setDefault(TimeZone.getTimeZone("America/New_York"));
    try {
      execute(specDdl().split(";"));
      // At 02:30 of that day New York has no time, but UTC has.
      insertSpecRow(1, 0, "2025-03-09 02:30:00.000004");
      insertSpecRow(2, 2, "2025-03-09 02:30:00.000003");
      insertSpecRow(3, 1, "2025-03-09 02:30:00.000002");
      insertSpecRow(4, 3, "2025-03-09 02:30:00.000001");
      assertThatThrownBy(() -> OutboxSchema.validate(dataSource))
          .hasMessageContaining("column lease_no is missing");

      OutboxSchema.migrate(dataSource);
      OutboxSchema.validate(dataSource);
      OutboxSchema.migrate(dataSource);
    } finally {
      TimeZone.setDefault(zone);
    }

    Instant first = Instant.parse("2025-03-09T02:30:00.000001Z");
    assertThat(row("id-4"))
        .satisfies(
            row -> {
              assertThat(row.status()).isEqualTo(EventStatus.DEAD);
              assertThat(row.seq()).isEqualTo(1);
              assertThat(row.createdAt()).isEqualTo(first);
              assertThat(row.availableAt()).isEqualTo(first);
              assertThat(row.lastError()).isEqualTo("gone");
              assertThat(row.doneAt()).isNull();
              assertThat(row.payloadJson().replace(" ", "")).isEqualTo("{\"n\":4}");
              assertThat(row.headersJson().replace(" ", "")).isEqualTo("{\"h\":\"v\"}");
              assertThat(row.tenantId()).isEqualTo("tenant");
              assertThat(row.attempts()).isEqualTo(4);
            });
    assertThat(row("id-3").doneAt()).isEqualTo(first.plusNanos(1000));
    assertThat(fetch("outbox_event", 10))
        .extracting(OutboxEvent::eventId, OutboxEvent::seq)
        .containsExactly(tuple("id-2", 3L), tuple("id-1", 4L));
    insert("outbox_event", "new");
    assertThat(row("new").seq()).isEqualTo(5);
    assertThatThrownBy(() -> execute(target.dropIndex("idx_status_available")))
        .isInstanceOf(OutboxStoreException.class);
  }

  private OutboxEvent row(String id) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      return target.find(conn, id).orElseThrow();
    }
  }

  @Test
  void anInterruptedMigrationGoesOn() throws SQLException {
    execute(specDdl().split(";"));
    insertSpecRow(1, 0, "2025-03-09 02:30:00.000002");
    insertSpecRow(2, 0, "2025-03-09 02:30:00.000001");
    execute(
        "ALTER TABLE outbox_event ADD COLUMN seq BIGINT",
        "ALTER TABLE outbox_event ADD COLUMN claims INT DEFAULT 0 NOT NULL");

    OutboxSchema.migrate(dataSource);
    OutboxSchema.validate(dataSource);
    assertThat(fetch("outbox_event", 10))
        .extracting(OutboxEvent::eventId)
        .containsExactly("id-2", "id-1");
  }

  @Test
  void migratingWithoutATableCreatesIt() throws SQLException {
    OutboxSchema.migrate(dataSource, "fresh_events");
    OutboxSchema.validate(dataSource, "fresh_events");
  }
}
