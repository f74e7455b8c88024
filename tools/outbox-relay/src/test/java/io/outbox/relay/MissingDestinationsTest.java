package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testbrokers.NatsServer;
import io.outbox.testbrokers.RabbitServer;
import io.outbox.testbrokers.RedisServer;
import io.outbox.testbrokers.SqsServer;
import io.outbox.testdb.Ports;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A destination that does not exist is named before its events wait, and kills none of them. */
class MissingDestinationsTest {

  static {
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
  }

  @TempDir Path directory;
  private final H2Table table = new H2Table();
  private final String name = "missing-" + UUID.randomUUID();

  @AfterEach
  void close() {
    table.close();
  }

  private String dryRun(String rest) throws Exception {
    StringWriter out = new StringWriter();
    new DryRun(RelayFile.load(directory, table.config(rest)), new PrintWriter(out)).run();
    return out.toString();
  }

  @Test
  void R25_aDryRunNamesTopicsThatAreMissingThoseOfItsEventsIncluded() throws Exception {
    table.insert("a", "Placed");
    try (KafkaTopic topic = new KafkaTopic()) {
      String shown =
          dryRun(
              """
              brokers:
                events:
                  type: kafka
                  bootstrap-servers: "%s"
                  dead-letter-destination: %s
              rules:
                - {when: {event-type: None}, broker: events, destination: %s}
              default: {broker: events, destination: "%s-{eventType}"}
              """
                  .formatted(KafkaBroker.shared().bootstrapServers(), name, topic.name(), name));

      assertThat(shown)
          .contains("broker events misses topic " + name + ": ")
          .contains("broker events misses topic " + name + "-Placed: ")
          .contains("events for it wait in the table until it exists")
          .doesNotContain("misses topic " + topic.name());
    }
  }

  @Test
  void R25_aDryRunNamesExchangesThatAreMissing() throws Exception {
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(RabbitServer.uri());
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(name + "-there", "fanout", false, true, Map.of());
      String shown =
          dryRun(
              """
              brokers:
                rabbit: {type: rabbitmq, uri: "%s"}
              rules:
                - {when: {event-type: A}, broker: rabbit, destination: %s-there}
                - {when: {event-type: B}, broker: rabbit, destination: %s-b}
              default: {broker: rabbit, destination: %s-c}
              """
                  .formatted(RabbitServer.uri(), name, name, name));

      assertThat(shown)
          .contains("broker rabbit misses exchange " + name + "-b: NOT_FOUND")
          .contains("broker rabbit misses exchange " + name + "-c: NOT_FOUND")
          .doesNotContain("misses exchange " + name + "-there");
    }
  }

  @Test
  void R25_aDryRunNamesSubjectsQueuesAndStreamsThatAreMissing() throws Exception {
    RedisClient client = RedisClient.create(RedisServer.uri().toString());
    try (StatefulRedisConnection<String, String> redis = client.connect()) {
      redis.sync().set(name + "-text", "no stream");
      String shown =
          dryRun(
              """
              brokers:
                nats: {type: nats, servers: "%s"}
                redis: {type: redis, uri: "%s", dead-letter-destination: %s-new}
                sqs: {type: sqs, region: eu-central-1, endpoint: "%s"}
              rules:
                - {when: {event-type: A}, broker: nats, destination: %s.orders}
                - {when: {event-type: B}, broker: redis, destination: %s-text}
              default: {broker: sqs, destination: %s}
              """
                  .formatted(
                      NatsServer.uri(),
                      RedisServer.uri(),
                      name,
                      SqsServer.uri(),
                      name,
                      name,
                      name));
      redis.sync().del(name + "-text");

      assertThat(shown)
          .contains("broker nats misses subject " + name + ".orders: no stream accepts it")
          .contains("broker redis misses stream " + name + "-text: the key is a string")
          .doesNotContain("misses stream " + name + "-new")
          .contains("broker sqs misses queue " + name + ": the queue does not exist");
    } finally {
      client.shutdown();
    }
  }

  @Test
  void aDryRunSaysWhichBrokersCannotBeReached() throws Exception {
    String shown =
        dryRun(
            """
            brokers:
              rabbit: {type: rabbitmq, uri: "amqp://127.0.0.1:%d", destination: shop}
            default: {broker: rabbit}
            """
                .formatted(Ports.unused()));

    assertThat(shown).contains("broker rabbit cannot be reached now (RabbitMQ at 127.0.0.1");
  }

  /** Not only when somebody asks for a dry run. */
  @Test
  void aRelayWarnsAtItsStartOfWhatIsMissing() throws Exception {
    RelayConfig config =
        RelayFile.load(
            directory,
            table.config(
                """
                brokers:
                  rabbit: {type: rabbitmq, uri: "%s"}
                  gone: {type: rabbitmq, uri: "amqp://127.0.0.1:%d", destination: shop}
                rules:
                  - {when: {event-type: A}, broker: gone}
                default: {broker: rabbit, destination: %s}
                """
                    .formatted(RabbitServer.uri(), Ports.unused(), name)));
    List<String> warned = new CopyOnWriteArrayList<>();
    Handler handler = capture(warned);
    Logger log = Logger.getLogger(BrokerCheck.class.getName());
    log.addHandler(handler);
    try (Relay relay = Relay.start(config)) {
      await()
          .atMost(Duration.ofMinutes(2))
          .untilAsserted(
              () ->
                  assertThat(warned)
                      .anyMatch(line -> line.contains("broker rabbit misses exchange " + name))
                      .anyMatch(line -> line.contains("broker gone cannot be reached now")));
      assertThat(relay.monitoringAddress()).isPresent();
    } finally {
      log.removeHandler(handler);
    }
  }

  private static Handler capture(List<String> lines) {
    return new Handler() {
      @Override
      public void publish(LogRecord line) {
        if (line.getLevel() == Level.WARNING) {
          lines.add(line.getMessage());
        }
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
  }

  @Test
  void R25_eventsOfAMissingTopicWaitWhileThoseOfTheSameBrokerGoOn() throws Exception {
    try (KafkaTopic topic = new KafkaTopic();
        Relay relay =
            Relay.start(
                RelayFile.load(
                    directory,
                    table.config(
                        """
                        brokers:
                          events: {type: kafka, bootstrap-servers: "%s"}
                        rules:
                          - {when: {event-type: Lost}, broker: events, destination: %s}
                        default: {broker: events, destination: %s}
                        """
                            .formatted(
                                KafkaBroker.shared().bootstrapServers(), name, topic.name()))))) {
      table.insert("a", "Lost");
      await()
          .until(
              () -> Monitor.of(relay).get("/health").body().contains("\"destinationsMissing\":1"));
      table.insert("b", "Placed");

      await().until(() -> table.rows().equals(List.of("a 0 0", "b 1 0")));
      assertThat(Monitor.of(relay).get("/health").body()).contains("\"brokersDown\":0");
    }
  }
}
