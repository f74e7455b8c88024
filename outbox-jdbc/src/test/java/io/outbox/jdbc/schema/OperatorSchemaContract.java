package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.Target;
import io.outbox.model.EventStatus;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link OutboxSchema#createOperator} must do on every database. */
abstract class OperatorSchemaContract extends SchemaAdditionContract {

  OperatorSchemaContract(Target target) {
    super(target);
  }

  private OutboxOperator operator(String table) {
    return OutboxOperator.of(dataSource::getConnection, target.store(table)).as("ada");
  }

  private void insert(String table, String eventId) throws SQLException {
    EventEnvelope event =
        EventEnvelope.builder("Tested")
            .eventId(eventId)
            .aggregateId("17")
            .orderingKey("key")
            .payloadJson("{}")
            .build();
    try (Connection conn = dataSource.getConnection()) {
      target.store(table).insertNew(conn, event);
    }
  }

  @Override
  void createAndUse(String table) throws SQLException {
    OutboxSchema.create(dataSource, table);
    insert(table, "kept");
    OutboxOperator operator = operator(table);
    assertThat(operator.perform(new OperatorAction.Kill("poison"), "kept")).isTrue();
    assertThat(operator.pause("Order", null, null)).isTrue();

    OutboxSchema.create(dataSource, table);
    OutboxSchema.createOperator(dataSource, table);
    OutboxSchema.createOperatorIndexes(dataSource, table);
    OutboxSchema.createOperatorIndexes(dataSource, table);
    OutboxSchema.migrate(dataSource, table);

    assertThat(OutboxSchema.problems(dataSource, table, Addition.OPERATOR)).isEmpty();
    assertThat(OutboxSchema.problems(dataSource, table, Addition.OPERATOR_INDEXES)).isEmpty();
    assertThat(OutboxSchema.problems(dataSource, table)).isEmpty();
    OutboxOperator later = operator(table);
    assertThat(later.audit(null, 10)).extracting(AuditEntry::what).containsExactly("pause", "kill");
    assertThat(later.overview().pauses())
        .extracting(DeliveryPause::aggregateType)
        .containsExactly("Order");
    assertThat(later.overview().counts().get(EventStatus.DEAD).value()).isOne();
    for (EventFilter filter : helpedByIndexes()) {
      assertThat(later.search(filter, null, 10).events()).as("%s", filter).hasSize(1);
    }
  }

  private static List<EventFilter> helpedByIndexes() {
    return List.of(
        EventFilter.ALL,
        EventFilter.builder().aggregateId("17").build(),
        EventFilter.builder().orderingKey("key").build());
  }

  @Test
  void withoutItsTablesAnOutboxIsLookedAtAndNotChangedUntilItIsMigrated() throws SQLException {
    OutboxSchema.create(dataSource, "events");
    insert("events", "kept");
    execute("DROP TABLE events_pause", "DROP TABLE events_audit");
    OutboxOperator operator = operator("events");

    OutboxSchema.validate(dataSource, "events");
    assertThat(OutboxSchema.problems(dataSource, "events", Addition.OPERATOR))
        .containsExactlyInAnyOrder(
            "table events_pause is missing", "table events_audit is missing");
    assertThat(operator.overview().counts().get(EventStatus.NEW).value()).isOne();
    assertThat(operator.search(EventFilter.ALL, null, 10).events()).hasSize(1);
    assertThat(operator.pauses()).isEmpty();
    assertThat(operator.audit(null, 10)).isEmpty();
    OperatorAction kill = new OperatorAction.Kill("poison");
    for (Callable<?> action :
        List.<Callable<?>>of(
            () -> operator.perform(kill, "kept"),
            () -> operator.perform(kill, EventFilter.ALL),
            () -> operator.skip("kept", "poison"),
            () -> operator.pause("Order", null, null))) {
      assertThatThrownBy(action::call)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("OutboxSchema.createOperator");
    }
    assertThat(operator.find("kept").orElseThrow().status()).isEqualTo(EventStatus.NEW);

    OutboxSchema.migrate(dataSource, "events");
    assertThat(OutboxSchema.problems(dataSource, "events", Addition.OPERATOR)).isEmpty();
    assertThat(operator.perform(kill, "kept")).as("without a restart").isTrue();
  }

  @Test
  void withoutItsTableNoTenantCanBePausedUntilItIsMigrated() throws SQLException {
    OutboxSchema.create(dataSource, "events");
    OutboxOperator operator = operator("events");

    OutboxSchema.validate(dataSource, "events");
    assertThat(OutboxSchema.problems(dataSource, "events", Addition.HOLDS))
        .containsExactly("table events_hold is missing");
    assertThat(operator.pause("Order", null, null)).isTrue();
    assertThat(operator.pauses()).hasSize(1);
    assertThat(operator.resumeTenant("acme")).isFalse();
    assertThatThrownBy(() -> operator.pauseTenant("acme", null))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("OutboxSchema.createHolds");

    OutboxSchema.migrate(dataSource, "events");
    assertThat(operator.pauseTenant("acme", null)).as("without a restart").isTrue();
    OutboxSchema.createHolds(dataSource, "events");
    assertThat(operator("events").pauses()).hasSize(2);
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.HOLDS))
        .contains("CREATE TABLE app.my_events_hold (")
        .doesNotContain("outbox_event");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pause", "audit"})
  void onlyWhatIsMissingIsAddedAgain(String missing) throws SQLException {
    OutboxSchema.create(dataSource);
    operator("outbox_event").pause("Order", null, null);
    execute("DROP TABLE outbox_event_" + missing);
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR))
        .containsExactly("table outbox_event_" + missing + " is missing");

    OutboxSchema.createOperator(dataSource);
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR)).isEmpty();
    OutboxOperator operator = operator("outbox_event");
    assertThat(operator.pauses()).hasSize(missing.equals("pause") ? 0 : 1);
    assertThat(operator.audit(null, 10)).hasSize(missing.equals("audit") ? 0 : 1);
  }

  @Test
  void tablesOfTheSameNameInAnotherSchemaAreNotTaken() throws SQLException {
    String schema = "other_" + database.name();
    String other = schema + ".outbox_event";
    execute("CREATE SCHEMA " + schema);
    try {
      OutboxSchema.create(dataSource);
      OutboxSchema.createOperatorIndexes(dataSource, "outbox_event");
      OutboxSchema.create(dataSource, other);
      execute("DROP TABLE " + other + "_audit");

      assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR)).isEmpty();
      assertThat(OutboxSchema.problems(dataSource, other, Addition.OPERATOR)).hasSize(1);
      assertThat(OutboxSchema.problems(dataSource, other, Addition.OPERATOR_INDEXES)).hasSize(3);
      assertThatThrownBy(() -> operator(other).pause("Order", null, null))
          .isInstanceOf(IllegalStateException.class);
      for (EventFilter filter : helpedByIndexes()) {
        assertThat(operator(other).search(filter, null, 10).events()).isEmpty();
      }
    } finally {
      execute(target.dropSchema(schema));
    }
  }

  @Test
  void withoutAnOutboxTableNothingIsAdded() {
    assertThatThrownBy(() -> OutboxSchema.createOperator(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("the table is missing");
    assertThatThrownBy(() -> OutboxSchema.createOperatorIndexes(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("the table is missing");
    assertThat(OutboxSchema.problems(dataSource, "nowhere", Addition.OPERATOR))
        .containsExactly("the table is missing");
  }

  @Test
  void nodesThatStartTogetherAddTheTablesOnce() throws Exception {
    OutboxSchema.create(dataSource);
    execute("DROP TABLE outbox_event_pause", "DROP TABLE outbox_event_audit");
    fourTimesAtOnce(() -> OutboxSchema.createOperator(dataSource));
    assertThat(OutboxSchema.problems(dataSource, "outbox_event", Addition.OPERATOR)).isEmpty();
  }

  @Test
  void theDdlIsThatOfTheDatabaseWithTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.OPERATOR))
        .contains("CREATE TABLE app.my_events_pause")
        .contains("CREATE TABLE app.my_events_audit")
        .doesNotContain("outbox_event");
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.OPERATOR_INDEXES))
        .contains("ON app.my_events (created_at, seq)")
        .doesNotContain("outbox_event");
  }
}
