package io.outbox.samples.kafka;

import io.outbox.inbox.Inbox;
import io.outbox.inbox.InboxSchema;
import io.outbox.inbox.KafkaEventId;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.h2.jdbcx.JdbcConnectionPool;

/** Ships orders: another service with its own database, which reads the topic. */
final class Shipping implements AutoCloseable {

  private static final String CONSUMER = "shipping";
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final JdbcConnectionPool dataSource = Databases.inMemory("shipping");
  private final Connection keptOpen; // an H2 in memory lives as long as somebody is connected
  private final Topic topic;
  private final Inbox inbox;
  private int processed;
  private int duplicates;

  Shipping(Topic topic) throws SQLException {
    this.topic = topic;
    keptOpen = dataSource.getConnection();
    try (Statement statement = keptOpen.createStatement()) {
      statement.execute(
          "CREATE TABLE shipment (id BIGINT AUTO_INCREMENT PRIMARY KEY, order_id VARCHAR(20))");
    }
    InboxSchema.create(dataSource);
    inbox = Inbox.builder().dataSource(dataSource).build();
  }

  /** Reads at least so many messages, and is gone before it commits their offsets. */
  int consumeAndCrash(int messages) throws SQLException {
    return consume(messages, false);
  }

  /** Reads at least so many messages. */
  int consume(int messages) throws SQLException {
    return consume(messages, true);
  }

  private int consume(int messages, boolean commit) throws SQLException {
    int read = 0;
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    try (KafkaConsumer<String, String> consumer = consumer()) {
      consumer.subscribe(List.of(topic.name()));
      while (read < messages && System.nanoTime() - deadline < 0) {
        for (ConsumerRecord<String, String> message : consumer.poll(Duration.ofMillis(200))) {
          handle(message);
          read++;
        }
      }
      if (commit) {
        consumer.commitSync(Duration.ofSeconds(10));
      }
    }
    return read;
  }

  private void handle(ConsumerRecord<String, String> message) throws SQLException {
    String orderId = message.key();
    boolean first =
        inbox.processOnce(KafkaEventId.of(message), CONSUMER, conn -> ship(conn, orderId));
    if (first) {
      processed++;
    } else {
      duplicates++;
    }
  }

  private static void ship(Connection conn, String orderId) throws SQLException {
    try (PreparedStatement insert =
        conn.prepareStatement("INSERT INTO shipment (order_id) VALUES (?)")) {
      insert.setString(1, orderId);
      insert.executeUpdate();
    }
  }

  private KafkaConsumer<String, String> consumer() {
    Map<String, Object> settings =
        Map.of(
            ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
            topic.bootstrapServers(),
            ConsumerConfig.GROUP_ID_CONFIG,
            CONSUMER,
            ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
            "earliest",
            ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
            false);
    return new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
  }

  int processed() {
    return processed;
  }

  int duplicates() {
    return duplicates;
  }

  int shipments() throws SQLException {
    return Databases.count(dataSource, "SELECT count(*) FROM shipment");
  }

  int shippedOrders() throws SQLException {
    return Databases.count(dataSource, "SELECT count(DISTINCT order_id) FROM shipment");
  }

  @Override
  public void close() throws SQLException {
    keptOpen.close();
    dataSource.dispose();
  }
}
