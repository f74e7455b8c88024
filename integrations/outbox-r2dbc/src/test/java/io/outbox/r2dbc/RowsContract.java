package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.testdb.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** The rows that are written by R2DBC are those that are written by JDBC. */
abstract class RowsContract {

  private static final Instant PAST = Instant.parse("2024-02-29T23:59:59.123456Z");
  private static final String UNICODE =
      "Grüße, Ключ, 漢字, \uD83D\uDE00, \u2028, \\\\ \\\" ' ; ? $1 :a";

  private final TestDatabase kind;

  RowsContract(TestDatabase kind) {
    this.kind = kind;
  }

  private static List<EventEnvelope> events() {
    String large = "\"" + "ü".repeat((EventEnvelope.MAX_PAYLOAD_BYTES - 2) / 2) + "\"";
    byte[] bytes = new byte[70_000];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) i;
    }
    List<EventEnvelope> events = new ArrayList<>();
    events.add(minimal("Minimal").payloadJson("{}").build());
    events.add(
        minimal("Full")
            .aggregateType("Order")
            .aggregateId("A-17 ü")
            .tenantId("tenant")
            .header("h1", "grün")
            .header("h2", "")
            .orderingKey("key ü")
            .partitionKey("partition")
            .payloadJson("{ \"b\" : 1.0, \"a\":\"" + UNICODE + "\" }")
            .build());
    events.add(
        minimal("Delayed")
            .availableAt(Instant.parse("2199-01-01T00:00:00.000001Z"))
            .payloadJson("[]")
            .build());
    events.add(minimal("Large").payloadJson(large).build());
    events.add(minimal("Bytes").payloadBytes(bytes, "application/octet-stream").build());
    events.add(
        minimal("Text")
            .payloadBytes(UNICODE.getBytes(StandardCharsets.UTF_8), "text/plain")
            .build());
    events.add(minimal("Empty").payloadBytes(new byte[0], "text/plain").build());
    return events;
  }

  private static EventEnvelope.Builder minimal(String type) {
    return EventEnvelope.builder(type).occurredAt(PAST);
  }

  @Test
  void R8_rowsAreTheSameByEitherWay() throws Exception {
    try (ReactiveDatabase database = new ReactiveDatabase(kind)) {
      OutboxSchema.create(database.dataSource, "by_jdbc");
      AbstractJdbcOutboxStore jdbcStore = JdbcOutboxStores.detect(database.dataSource, "by_jdbc");
      ThreadLocalTxContext context = new ThreadLocalTxContext();
      Outbox jdbc = Outbox.writerOnly().txContext(context).outboxStore(jdbcStore).build();
      Outbox reactive = Outbox.writerOnly().txContext(context).outboxStore(database.store).build();
      List<EventEnvelope> events = events();

      new JdbcTransactionManager(database.connectionProvider, context)
          .run(tx -> events.forEach(jdbc.writer()::write));
      R2dbcOutbox outbox = new R2dbcOutbox(reactive, database.store);
      int half = events.size() / 2;
      outbox
          .inTransaction(
              database.pool,
              tx ->
                  tx.writeAll(events.subList(0, half))
                      .thenMany(Flux.fromIterable(events).skip(half))
                      .concatMap(tx::write)
                      .then())
          .block(Duration.ofSeconds(60));

      List<Map<String, String>> expected = rows(database, "by_jdbc");
      List<Map<String, String>> written = rows(database, "outbox_event");
      assertThat(expected).hasSize(events.size());
      for (int i = 0; i < expected.size(); i++) {
        assertThat(written.get(i)).as(events.get(i).eventType()).isEqualTo(expected.get(i));
      }
    }
  }

  /** What the orders by key add to one of the tables is left out, and so are the numbers. */
  private static List<Map<String, String>> rows(ReactiveDatabase database, String table)
      throws SQLException {
    try (Connection conn = database.dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet found = statement.executeQuery("SELECT * FROM " + table + " ORDER BY seq")) {
      List<Map<String, String>> rows = new ArrayList<>();
      while (found.next()) {
        Map<String, String> row = new TreeMap<>();
        for (int i = 1; i <= found.getMetaData().getColumnCount(); i++) {
          String column = found.getMetaData().getColumnName(i).toLowerCase(Locale.ROOT);
          if (!column.equals("seq") && !column.startsWith("key_")) {
            row.put(column, text(found, i, column));
          }
        }
        rows.add(row);
      }
      return rows;
    }
  }

  private static String text(ResultSet row, int column, String name) throws SQLException {
    if (!name.equals("payload_bytes")) {
      return row.getString(column);
    }
    byte[] bytes = row.getBytes(column);
    return bytes == null ? null : HexFormat.of().formatHex(bytes);
  }
}
