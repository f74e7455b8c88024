package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventStatus;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** The table. */
class SchemaTest extends DocsDatabase {

  @Test
  void theTableIsCreatedCheckedAndMigrated() throws Exception {
    execute("DROP TABLE outbox_event");

    // snippet: schema
    OutboxSchema.create(dataSource); // does nothing if the table is there and complete
    OutboxSchema.validate(dataSource); // throws, and lists everything that is missing
    OutboxSchema.migrate(dataSource); // brings an older table up to date, with its rows
    String ddl = OutboxSchema.ddl("postgresql", "outbox_event"); // to put it elsewhere
    // end

    assertThat(ddl).contains("CREATE TABLE outbox_event");
    execute("ALTER TABLE outbox_event DROP COLUMN partition_key");
    assertThatThrownBy(() -> OutboxSchema.validate(dataSource))
        .isInstanceOf(OutboxStoreException.class)
        .hasMessageContaining("partition_key");
    OutboxSchema.migrate(dataSource);
    OutboxSchema.validate(dataSource);
  }

  @Test
  void theTableCanHaveAnotherName() throws Exception {
    execute("DROP TABLE outbox_event");
    execute("CREATE SCHEMA shop");

    // snippet: table-name
    OutboxSchema.create(dataSource, "shop.events");
    OutboxStore store = JdbcOutboxStores.detect(dataSource, "shop.events");
    EventPurger purger = new H2EventPurger("shop.events");
    // end

    listeners.register("OrderPlaced", listener);
    try (Outbox outbox = singleNode().outboxStore(store).build()) {
      transactions.run(tx -> outbox.writer().write("OrderPlaced", "{}"));
    }
    assertThat(count("shop.events WHERE status = 1")).isOne();
    try (Connection connection = dataSource.getConnection()) {
      assertThat(purger.purge(connection, Instant.now().plusSeconds(60), 10)).isOne();
    }
  }

  @Test
  void aRowOfPlainSqlIsAnEventToo() throws Exception {
    listeners.register("OrderImported", listener);
    String sql =
        """
        -- snippet: plain-sql
        INSERT INTO outbox_event
          (event_id, event_type, payload, status, available_at, created_at)
        VALUES
          ('import-17', 'OrderImported', '{"orderId": "A-17"}', 0, CURRENT_TIMESTAMP, CURRENT_TIMESTAMP)
        -- end
        """;
    execute(sql);
    try (Outbox outbox = singleNode().build()) {
      awaitEvents(EventStatus.DONE, 1);
    }
    assertThat(listener.deliveredIds()).containsExactly("import-17");
    assertThat(listener.deliveries().get(0).event().payloadJson())
        .isEqualTo("{\"orderId\": \"A-17\"}");
  }
}
