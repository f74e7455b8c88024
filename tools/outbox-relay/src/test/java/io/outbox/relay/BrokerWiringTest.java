package io.outbox.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.StatefulRedisConnection;
import io.nats.client.Message;
import io.nats.client.Nats;
import io.nats.client.PushSubscribeOptions;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testbrokers.NatsServer;
import io.outbox.testbrokers.RabbitServer;
import io.outbox.testbrokers.RedisServer;
import io.outbox.testbrokers.SqsServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/** What the file says of a broker reaches its publisher, and an event reaches the broker. */
class BrokerWiringTest {

  static {
    System.setProperty("aws.accessKeyId", "test");
    System.setProperty("aws.secretAccessKey", "test");
  }

  private static final String PAYLOAD = "{\"amount\": 1}";

  @TempDir Path directory;
  private final H2Table table = new H2Table();
  private final String name = "relay-" + UUID.randomUUID();

  @AfterEach
  void close() {
    table.close();
  }

  /** Starts a relay that sends an event to the one broker. */
  private Relay send(String broker) throws Exception {
    table.insert("e-1", "Placed", "acme", "{\"region\": \"eu\"}", PAYLOAD);
    return Relay.start(
        RelayFile.load(directory, table.config(withBrokers(broker)), Map.of("SECRET", "s3cret")));
  }

  /** What stands before the default belongs to the section of brokers. */
  private static String withBrokers(String text) {
    int rest = text.indexOf("default:");
    return "brokers:\n" + text.substring(0, rest).indent(2) + text.substring(rest);
  }

  private static String utf8(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Test
  void kafkaTakesItsTopicFormatAndProducerSettings() throws Exception {
    try (KafkaTopic topic = new KafkaTopic();
        Relay relay =
            send(
                """
                it:
                  type: kafka
                  bootstrap-servers: ["%s"]
                  destination: "%s"
                  format: cloudevents
                  source: /shop
                  max-block: 3s
                  delivery-timeout: 15s
                  properties: {client.id: "wired", compression.type: gzip}
                """
                        .formatted(KafkaBroker.shared().bootstrapServers(), topic.name())
                    + "default: {broker: it}\n")) {
      await().until(() -> topic.records().size() == 1);
      ConsumerRecord<String, String> message = topic.records().get(0);
      assertThat(message.value()).isEqualTo(PAYLOAD);
      assertThat(KafkaTopic.header(message, "ce_id")).isEqualTo("e-1");
      assertThat(KafkaTopic.header(message, "ce_source")).isEqualTo("/shop");
      assertThat(KafkaTopic.header(message, "ce_tenantid")).isEqualTo("acme");
    }
  }

  @Test
  void rabbitMqTakesItsAddressExchangeRoutingKeyAndClientSettings() throws Exception {
    URI server = RabbitServer.uri();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(server);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      BlockingQueue<Delivery> arrived = new LinkedBlockingQueue<>();
      channel.exchangeDeclare(name, "topic", false, true, Map.of());
      channel.queueDeclare(name, false, false, true, Map.of());
      channel.queueBind(name, name, "acme.Placed");
      channel.basicConsume(name, true, (tag, delivery) -> arrived.add(delivery), tag -> {});
      try (Relay relay =
          send(
              """
              it:
                type: rabbitmq
                uri: "%s"
                destination: "%s"
                routing-key: never
                confirm-timeout: 5s
                properties: {connection.heartbeat: 7}
              """
                      .formatted(server, name)
                  + "default: {broker: it, routing-key: \"{tenantId}.{eventType}\"}\n")) {
        Delivery delivery = arrived.poll(60, TimeUnit.SECONDS);
        assertThat(delivery).isNotNull();
        assertThat(utf8(delivery.getBody())).isEqualTo(PAYLOAD);
        assertThat(delivery.getProperties().getMessageId()).isEqualTo("e-1");
        assertThat(delivery.getProperties().getHeaders().get("region")).hasToString("eu");
        await().until(() -> table.rows().equals(List.of("e-1 1 0")));
      }
    }
  }

  @Test
  void natsTakesItsServersSubjectAndClientSettings() throws Exception {
    String server = NatsServer.uri().toString();
    try (io.nats.client.Connection connection = Nats.connect(server)) {
      connection
          .jetStreamManagement()
          .addStream(
              StreamConfiguration.builder()
                  .name(name)
                  .subjects(name + ".>")
                  .storageType(StorageType.Memory)
                  .build());
      try (Relay relay =
          send(
              """
              it:
                type: nats
                servers: ["%s"]
                jet-stream: true
                ack-timeout: 5s
                properties: {io.nats.client.maxpings: 3}
              """
                      .formatted(server)
                  + "default: {broker: it, destination: \"%s.{aggregateId}\"}\n".formatted(name))) {
        Message message =
            connection
                .jetStream()
                .subscribe(name + ".>", PushSubscribeOptions.builder().ordered(true).build())
                .nextMessage(Duration.ofSeconds(60));
        assertThat(message).isNotNull();
        assertThat(message.getSubject()).isEqualTo(name + ".17");
        assertThat(utf8(message.getData())).isEqualTo(PAYLOAD);
        assertThat(message.getHeaders().getFirst("outbox-event-id")).isEqualTo("e-1");
      } finally {
        connection.jetStreamManagement().deleteStream(name);
      }
    }
  }

  @Test
  void redisTakesItsAddressStreamAndField() throws Exception {
    String server = RedisServer.uri().toString();
    RedisClient client = RedisClient.create(server);
    try (StatefulRedisConnection<String, String> connection = client.connect();
        Relay relay =
            send(
                """
                it:
                  type: redis
                  uri: "%s"
                  max-length: 10
                  payload-field: body
                  timeout: 5s
                """
                        .formatted(server)
                    + "default: {broker: it, destination: \"%s\"}\n".formatted(name))) {
      await().until(() -> connection.sync().xlen(name) == 1);
      StreamMessage<String, String> entry =
          connection.sync().xrange(name, Range.unbounded()).get(0);
      assertThat(entry.getBody())
          .containsEntry("body", PAYLOAD)
          .containsEntry("outbox-event-id", "e-1")
          .containsEntry("region", "eu");
      connection.sync().del(name);
    } finally {
      client.shutdown();
    }
  }

  @Test
  void sqsTakesItsRegionEndpointAndQueue() throws Exception {
    try (SqsAsyncClient client =
        SqsAsyncClient.builder()
            .region(Region.EU_CENTRAL_1)
            .endpointOverride(SqsServer.uri())
            .build()) {
      String url = client.createQueue(request -> request.queueName(name)).join().queueUrl();
      try (Relay relay =
          send(
              """
              it:
                type: sqs
                region: eu-central-1
                endpoint: "%s"
                timeout: 5s
              """
                      .formatted(SqsServer.uri())
                  + "default: {broker: it, destination: \"%s\"}\n".formatted(name))) {
        var messages =
            client
                .receiveMessage(
                    request ->
                        request.queueUrl(url).waitTimeSeconds(20).messageAttributeNames("All"))
                .join()
                .messages();
        assertThat(messages).hasSize(1);
        assertThat(messages.get(0).body()).isEqualTo(PAYLOAD);
        assertThat(messages.get(0).messageAttributes().get("outbox-event-id").stringValue())
            .isEqualTo("e-1");
        await().until(() -> table.rows().equals(List.of("e-1 1 0")));
      }
    }
  }

  @Test
  void httpTakesItsAddressHeadersAndSecret() throws Exception {
    try (HttpReceiver receiver = new HttpReceiver();
        Relay relay =
            send(
                """
                it:
                  type: http
                  headers: {Authorization: "Bearer ${SECRET}"}
                  signing-secret: ${SECRET}
                  connect-timeout: 1s
                  request-timeout: 5s
                  max-retry-after: 1m
                  max-requests: 3
                """
                    + "default: {broker: it, destination: \"%s/{eventType}\"}\n"
                        .formatted(receiver.address()))) {
      await().until(() -> receiver.posted().size() == 1);
      HttpReceiver.Posted posted = receiver.posted().get(0);
      assertThat(posted.path()).isEqualTo("/Placed");
      assertThat(posted.body()).isEqualTo(PAYLOAD);
      assertThat(posted.headers().get("Authorization")).containsExactly("Bearer s3cret");
      assertThat(posted.headers().get("Outbox-signature").get(0)).startsWith("t=");
    }
  }
}
