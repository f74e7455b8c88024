package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Any language can write events: the SQL of the page is all it takes. */
class PlainSqlTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(names = {"POSTGRES", "MARIADB", "H2"})
  void rowsInsertedAsThePageSaysReachKafka(TestDatabase kind) throws Exception {
    try (Database database = kind.fresh();
        KafkaTopic topic = new KafkaTopic();
        Relay relay = Relay.start(RelayFile.load(directory, config(database, topic)))) {
      DocumentedSql.run(database.dataSource(), DocumentedSql.of(kind));

      await().until(() -> topic.records().size() == 2);
      ConsumerRecord<String, String> placed = byType(topic, "OrderPlaced");
      assertThat(placed.value()).isEqualTo("{\"orderId\": \"A-17\"}");
      assertThat(placed.key()).isNull();
      assertThat(KafkaTopic.header(placed, "content-type")).isEqualTo("application/json");
      assertThat(KafkaTopic.header(placed, "outbox-event-id")).hasSize(36);
      ConsumerRecord<String, String> shipped = byType(topic, "OrderShipped");
      assertThat(shipped.key()).isEqualTo("A-17");
      assertThat(KafkaTopic.header(shipped, "outbox-event-id")).isEqualTo("order-A-17-shipped");
      assertThat(KafkaTopic.header(shipped, "outbox-aggregate-type")).isEqualTo("Order");
      assertThat(KafkaTopic.header(shipped, "outbox-tenant-id")).isEqualTo("acme");
      assertThat(KafkaTopic.header(shipped, "region")).isEqualTo("eu");
      await().until(() -> Monitor.of(relay).metric("outbox_dispatch_success_total", "orders") == 2);
    }
  }

  private static ConsumerRecord<String, String> byType(KafkaTopic topic, String type) {
    List<ConsumerRecord<String, String>> found =
        topic.records().stream()
            .filter(one -> KafkaTopic.header(one, "outbox-event-type").equals(type))
            .toList();
    assertThat(found).hasSize(1);
    return found.get(0);
  }

  private static String config(Database database, KafkaTopic topic) {
    return """
        http: {port: 0}
        databases:
          shop:
            url: %s
            username: "%s"
            password: "%s"
        brokers:
          events: {type: kafka, bootstrap-servers: "%s"}
        tables:
          orders:
            database: shop
            schema: {initialize: always}
            poller: {interval-ms: 50}
        default: {broker: events, destination: %s}
        """
        .formatted(
            database.jdbcUrl(),
            database.user(),
            database.password(),
            KafkaBroker.shared().bootstrapServers(),
            topic.name());
  }
}
