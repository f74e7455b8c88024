package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.rabbitmq.client.BuiltinExchangeType;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import io.lettuce.core.Range;
import io.lettuce.core.RedisClient;
import io.lettuce.core.StreamMessage;
import io.lettuce.core.api.StatefulRedisConnection;
import io.nats.client.Nats;
import io.nats.client.api.StorageType;
import io.nats.client.api.StreamConfiguration;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.testbrokers.NatsServer;
import io.outbox.testbrokers.RabbitServer;
import io.outbox.testbrokers.RedisServer;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Events through properties alone to real brokers, with the clients that Spring Boot brings. */
class BrokersTest {

  private final String name = "outbox-" + UUID.randomUUID();
  private final EventEnvelope event =
      EventEnvelope.builder("Placed").aggregateId("o-1").payloadJson("{\"a\":1}").build();

  private void publish(String... properties) {
    Outboxes.runner()
        .withPropertyValues(properties)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              Outboxes.write(context, event);
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));
            });
  }

  @Test
  void toRedis() {
    URI server = RedisServer.uri();
    publish("outbox.redis.destination=" + name, "spring.data.redis.url=" + server);
    RedisClient client = RedisClient.create(server.toString());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      List<StreamMessage<String, String>> entries =
          connection.sync().xrange(name, Range.unbounded());
      connection.sync().del(name);
      assertThat(entries)
          .singleElement()
          .extracting(StreamMessage::getBody)
          .satisfies(
              fields ->
                  assertThat(fields)
                      .containsEntry("outbox-event-id", event.eventId())
                      .containsEntry("payload", "{\"a\":1}"));
    } finally {
      client.shutdown();
    }
  }

  @Test
  void toRabbitMq() throws Exception {
    URI server = RabbitServer.uri();
    ConnectionFactory factory = new ConnectionFactory();
    factory.setUri(server);
    try (Connection connection = factory.newConnection();
        Channel channel = connection.createChannel()) {
      channel.exchangeDeclare(name, BuiltinExchangeType.TOPIC);
      channel.queueDeclare(name, false, true, true, null);
      channel.queueBind(name, name, "#");
      publish(
          "outbox.rabbitmq.destination=" + name,
          "spring.rabbitmq.addresses=amqp://" + server.getHost() + ":" + server.getPort(),
          "spring.rabbitmq.username=" + factory.getUsername(),
          "spring.rabbitmq.password=" + factory.getPassword(),
          "spring.rabbitmq.virtual-host=" + factory.getVirtualHost());
      GetResponse message = channel.basicGet(name, true);
      channel.exchangeDelete(name);
      assertThat(message.getProps().getMessageId()).isEqualTo(event.eventId());
      assertThat(new String(message.getBody(), StandardCharsets.UTF_8)).isEqualTo("{\"a\":1}");
    }
  }

  @Test
  void toNats() throws Exception {
    String server = NatsServer.uri().toString();
    try (io.nats.client.Connection connection = Nats.connect(server)) {
      var management = connection.jetStreamManagement();
      management.addStream(
          StreamConfiguration.builder()
              .name(name)
              .subjects(name)
              .storageType(StorageType.Memory)
              .build());
      publish("outbox.nats.destination=" + name, "outbox.nats.servers=" + server);
      var message = management.getMessage(name, 1);
      management.deleteStream(name);
      assertThat(message.getHeaders().getFirst("Nats-Msg-Id")).isEqualTo(event.eventId());
      assertThat(new String(message.getData(), StandardCharsets.UTF_8)).isEqualTo("{\"a\":1}");
    }
  }
}
