package io.outbox.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.purge.PostgresAgeBasedPurger;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.spi.EventPurger;
import io.outbox.testdb.TestDatabase;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PostgresCdcTest extends CdcContract {

  PostgresCdcTest() {
    super(TestDatabase.POSTGRES, Map.of("wal_level", "logical"));
  }

  @Override
  void prepare() throws SQLException {
    OutboxSchema.create(dataSource);
    OutboxSchema.createAgeIndex(dataSource, "outbox_event");
    execute(Connector.sql("postgres.sql"));
  }

  @Override
  EventPurger purger() {
    return new PostgresAgeBasedPurger();
  }

  @Override
  String file() {
    return "postgres.properties";
  }

  @Override
  Map<String, String> place(URI server) {
    return Map.of("database.dbname", database.name(), "database.user", "outbox_cdc");
  }

  @Test
  void eventsWithBytesHaveATableAndAConnectorOfTheirOwn() throws Exception {
    OutboxSchema.create(dataSource, "outbox_bytes");
    String sql = Connector.sql("postgres.sql");
    execute(
        sql.substring(sql.indexOf("CREATE PUBLICATION"))
            .replace("outbox FOR", "outbox_bytes FOR")
            .replace("outbox_event", "outbox_bytes"));
    byte[] bytes = {0, 1, -1, 127, -128, 10};
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateType("Order")
            .aggregateId("A-17")
            .payloadBytes(bytes, "application/avro")
            .build();
    try (Connection conn = dataSource.getConnection()) {
      JdbcOutboxStores.detect(dataSource, "outbox_bytes").insertNew(conn, event);
    }
    Map<String, String> differences = new HashMap<>();
    Connector.documented("bytes.properties")
        .forEach((name, value) -> differences.put(name.toString(), value.toString()));
    try (Connector connector = connector(differences)) {
      Message message = connector.await(event.eventId());
      assertThat(message.value()).isEqualTo(bytes);
      assertThat(message.key()).isEqualTo("A-17");
      assertThat(message.headers()).containsEntry("content-type", "application/avro");
    }
  }
}
