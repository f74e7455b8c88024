package io.outbox.fuzz;

import static java.nio.charset.StandardCharsets.UTF_16BE;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.outbox.EventEnvelope;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.H2OutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import org.h2.jdbcx.JdbcDataSource;

/** R8, R17: an event is refused by its builder, or comes back from a table as it was written. */
class EnvelopeFuzzTest {

  private static final H2OutboxStore STORE = new H2OutboxStore();
  private static final Connection CONNECTION = table();

  private static Connection table() {
    JdbcDataSource dataSource = new JdbcDataSource();
    dataSource.setURL("jdbc:h2:mem:envelopes;DB_CLOSE_DELAY=-1");
    OutboxSchema.create(dataSource);
    try {
      Connection connection = dataSource.getConnection();
      connection.setAutoCommit(false);
      return connection;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @FuzzTest
  void isRefusedOrStoredUnchanged(byte[] input) throws SQLException {
    EventEnvelope written;
    try {
      written = build(FuzzInput.text(input));
    } catch (IllegalArgumentException | DateTimeException e) {
      return;
    }
    try {
      STORE.insertNew(CONNECTION, written);

      EventEnvelope read =
          EventEnvelope.fromRow(
              STORE.operator().orElseThrow().find(CONNECTION, written.eventId()).orElseThrow());

      assertThat(read)
          .usingRecursiveComparison()
          .ignoringFields("values.payloadSize", "values.availableAt")
          .isEqualTo(written);
      assertThat(read.isDelayed()).isEqualTo(written.isDelayed());
    } finally {
      CONNECTION.rollback();
    }
  }

  /** From lines such as {@code aggregateId=order-1}. A name that nobody knows is a header's. */
  private static EventEnvelope build(String text) {
    String[] lines = text.split("\n", -1);
    EventEnvelope.Builder builder = EventEnvelope.builder(lines[0]);
    for (int i = 1; i < lines.length; i++) {
      int equals = lines[i].indexOf('=');
      String name = equals < 0 ? lines[i] : lines[i].substring(0, equals);
      set(builder, name, lines[i].substring(equals + 1));
    }
    return builder.build();
  }

  private static void set(EventEnvelope.Builder builder, String name, String value) {
    switch (name) {
      case "eventId" -> builder.eventId(value);
      case "occurredAt" -> builder.occurredAt(Instant.parse(value));
      case "aggregateType" -> builder.aggregateType(value);
      case "aggregateId" -> builder.aggregateId(value);
      case "tenantId" -> builder.tenantId(value);
      case "json" -> builder.payloadJson(value);
      case "bytes" -> builder.payloadBytes(value.getBytes(UTF_16BE), "text/plain");
      case "contentType" -> builder.payloadBytes(new byte[] {0, -1}, value);
      case "availableAt" -> builder.availableAt(Instant.parse(value));
      case "deliverAfter" -> builder.deliverAfter(Duration.parse(value));
      case "orderingKey" -> builder.orderingKey(value);
      case "partitionKey" -> builder.partitionKey(value);
      default -> builder.header(name, value);
    }
  }
}
