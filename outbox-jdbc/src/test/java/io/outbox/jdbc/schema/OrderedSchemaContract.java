package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.LaneStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What {@link OutboxSchema#createOrderedByKey} must do on every database. */
abstract class OrderedSchemaContract extends SchemaAdditionContract {

  private static final Instant NOW = Instant.parse("2025-06-01T12:00:00Z");

  OrderedSchemaContract(Target target) {
    super(target);
  }

  private LaneStore lanes(String table) {
    return target.store(table).lanes().orElseThrow();
  }

  private void check(String table) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      lanes(table).check(conn);
    }
  }

  private List<OutboxEvent> scan(String table) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      Set<Integer> lane = Set.of(EventKey.named("key").lane());
      return lanes(table).scan(conn, lane, null, new KeyQuery(NOW, 9, 9, 9, 9999)).rows();
    }
  }

  private void insert(String table, String eventId) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      target
          .store(table)
          .insertNew(
              conn,
              EventEnvelope.builder("Tested")
                  .eventId(eventId)
                  .orderingKey("key")
                  .occurredAt(NOW)
                  .payloadJson("{}")
                  .build());
    }
  }

  @Override
  void createAndUse(String table) throws SQLException {
    OutboxSchema.create(dataSource, table);
    insert(table, "before");
    OutboxSchema.createOrderedByKey(dataSource, table);
    OutboxSchema.createOrderedByKey(dataSource, table);
    insert(table, "after");

    check(table);
    OutboxSchema.validate(dataSource, table);
    OutboxSchema.migrate(dataSource, table);
    assertThat(scan(table)).extracting(OutboxEvent::eventId).containsExactly("before", "after");
    try (Connection conn = dataSource.getConnection()) {
      assertThat(lanes(table).take(conn, "node", Duration.ofHours(1), 5).lanes()).hasSize(5);
      assertThat(lanes(table).beat(conn, "node", Duration.ofHours(1)).owned().lanes()).hasSize(5);
    }
  }

  @Test
  void whatIsMissingIsNamedTogetherWithItsDdl() throws SQLException {
    OutboxSchema.create(dataSource, "events");

    assertThatThrownBy(() -> check("events"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("table events")
        .hasMessageContaining("table events_lane is missing")
        .hasMessageContaining("table events_node is missing")
        .hasMessageContaining("table events_block is missing")
        .hasMessageContaining("index events_key is missing")
        .hasMessageContaining(target.product().ddlResource(Addition.ORDERED_BY_KEY))
        .hasMessageContaining("OutboxSchema.createOrderedByKey(dataSource, \"events\")");
    assertThatThrownBy(() -> scanOrTake("events"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("OutboxSchema.createOrderedByKey(dataSource, \"events\")");
  }

  private void scanOrTake(String table) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      lanes(table).take(conn, "node", Duration.ofHours(1), 5);
    }
  }

  @Test
  void onlyWhatIsMissingIsAddedAgain() throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    execute(
        target.dropIndex("outbox_event_key"),
        "DROP TABLE outbox_event_node",
        "DELETE FROM outbox_event_lane WHERE lane = 5",
        "UPDATE outbox_event_lane SET epoch = 7 WHERE lane = 6");
    assertThatThrownBy(() -> check("outbox_event"))
        .hasMessageContaining("table outbox_event_node is missing")
        .hasMessageContaining("index outbox_event_key is missing");

    OutboxSchema.createOrderedByKey(dataSource);
    check("outbox_event");
    try (Connection conn = dataSource.getConnection()) {
      String sql = "SELECT sum(epoch), count(*) FROM outbox_event_lane";
      assertThat(JDBC.query(conn, sql, row -> row.getInt(1) + " of " + row.getInt(2)))
          .containsExactly("7 of 64");
    }
  }

  @Test
  void lanesThatAreMissingAreNamed() throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    execute("DELETE FROM outbox_event_lane WHERE lane > 31");

    assertThatThrownBy(() -> check("outbox_event"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("outbox_event_lane must have the lanes 0 to 63, and has [0, 1,");
  }

  @Test
  void keysThatAreDividedInAnotherWayAreRefused() throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    execute("UPDATE outbox_event_lane SET division = 'sha-256'");

    assertThatThrownBy(() -> check("outbox_event"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("by sha-256 in table outbox_event_lane")
        .hasMessageContaining("by md5-64 in this version");
    assertThatThrownBy(() -> OutboxSchema.createOrderedByKey(dataSource))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("by sha-256");
  }

  @Test
  void withoutAnOutboxTableThereIsNothingToAddTo() {
    assertThatThrownBy(() -> OutboxSchema.createOrderedByKey(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("nowhere")
        .hasMessageContaining("the table is missing");
    assertThatThrownBy(() -> check("nowhere"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("the table is missing");
  }

  @Test
  void nodesThatStartTogetherAddEverythingOnce() throws Exception {
    OutboxSchema.create(dataSource);
    fourTimesAtOnce(() -> OutboxSchema.createOrderedByKey(dataSource));
    check("outbox_event");
  }

  @Test
  void theDdlIsThatOfTheDatabaseWithTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.ORDERED_BY_KEY))
        .contains("CREATE TABLE app.my_events_lane")
        .contains("CREATE INDEX my_events_key ON app.my_events")
        .doesNotContain("outbox_event");
  }
}
