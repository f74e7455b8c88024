package io.outbox.jdbc.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.Target;
import io.outbox.spi.DeliveryMode;
import io.outbox.spi.Member;
import io.outbox.spi.MemberStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What {@link OutboxSchema#createMembers} must do on every database. */
abstract class MemberSchemaContract extends SchemaAdditionContract {

  private static final String TABLE = "outbox_event";

  MemberSchemaContract(Target target) {
    super(target);
  }

  @Override
  void createAndUse(String table) throws SQLException {
    OutboxSchema.create(dataSource, table);
    OutboxSchema.createMembers(dataSource, table);
    assertThat(OutboxSchema.problems(dataSource, table, Addition.MEMBERS)).isEmpty();
    assertIsUsable(table);
  }

  private void assertIsUsable(String table) throws SQLException {
    MemberStore members = target.store(table).members().orElseThrow();
    try (Connection conn = dataSource.getConnection()) {
      assertThat(members.isInstalled(conn)).isTrue();
      assertThat(members.beat(conn, "node", DeliveryMode.MULTI_NODE, Duration.ofMinutes(1), null))
          .isTrue();
      assertThat(members.list(conn)).extracting(Member::node).containsExactly("node");
      members.leave(conn, "node");
    }
  }

  @Test
  void anEarlierTableWithRowsGetsItByMigrationAndKeepsThem() throws SQLException {
    OutboxSchema.create(dataSource);
    insert("kept");
    execute(
        "DROP TABLE outbox_event_member",
        "DROP TABLE outbox_event_pause",
        "DROP TABLE outbox_event_audit",
        "ALTER TABLE outbox_event DROP COLUMN replayed_at");
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.MEMBERS))
        .containsExactly("table outbox_event_member is missing");

    OutboxSchema.migrate(dataSource);

    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.MEMBERS)).isEmpty();
    assertThat(OutboxSchema.problems(dataSource, TABLE, Addition.OPERATOR)).isEmpty();
    OutboxSchema.validate(dataSource);
    assertIsUsable(TABLE);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(target.find(conn, "kept")).isPresent();
    }
  }

  @Test
  void anEarlierTableGetsItWhenANewNodeCreatesWhatIsMissing() throws SQLException {
    OutboxSchema.create(dataSource);
    insert("kept");
    execute("DROP TABLE outbox_event_member");
    OutboxSchema.validate(dataSource); // delivery does without

    OutboxSchema.create(dataSource);

    assertIsUsable(TABLE);
    try (Connection conn = dataSource.getConnection()) {
      assertThat(target.find(conn, "kept")).isPresent();
    }
  }

  private void insert(String id) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      target
          .store(TABLE)
          .insertNew(conn, EventEnvelope.builder("Tested").eventId(id).payloadJson("{}").build());
    }
  }

  @Test
  void theDdlHasTheNameOfTheTable() {
    assertThat(OutboxSchema.ddl(product(), "app.my_events", Addition.MEMBERS))
        .contains("CREATE TABLE app.my_events_member")
        .doesNotContain("outbox_event");
    assertThat(List.of("h2", "postgresql", "mysql", "mariadb"))
        .allSatisfy(
            product ->
                assertThat(OutboxSchema.ddl(product, TABLE, Addition.MEMBERS))
                    .contains("CREATE TABLE outbox_event_member"));
  }

  @Test
  void withoutAnOutboxTableThereIsNothingToAddItTo() {
    assertThatThrownBy(() -> OutboxSchema.createMembers(dataSource, "nowhere"))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("the table is missing");
  }

  @Test
  void nodesThatStartTogetherCreateItOnce() throws Exception {
    OutboxSchema.create(dataSource);
    execute("DROP TABLE outbox_event_member");
    fourTimesAtOnce(() -> OutboxSchema.createMembers(dataSource, TABLE));
    assertIsUsable(TABLE);
  }
}
