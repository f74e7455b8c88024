package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.testbrokers.KafkaBroker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;

/** From a transaction to a topic of a real Kafka, by properties alone. */
class KafkaTest {

  private final String servers = KafkaBroker.shared().bootstrapServers();
  private final String topic = "orders-" + UUID.randomUUID();

  @Test
  void whatIsCommittedIsInTheTopic() throws Exception {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", servers))) {
      admin
          .createTopics(List.of(new NewTopic(topic, 1, (short) 1)))
          .all()
          .get(30, TimeUnit.SECONDS);
    }
    Outboxes.runner()
        .withPropertyValues(
            "spring.kafka.bootstrap-servers=" + servers, "outbox.kafka.destination=" + topic)
        .run(
            context -> {
              EventEnvelope event =
                  EventEnvelope.builder("OrderPlaced")
                      .aggregateType("Order")
                      .aggregateId("A-17")
                      .payloadJson("{\"cents\": 1999}")
                      .build();
              Outboxes.write(context, event);
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 1));

              assertThat(read())
                  .singleElement()
                  .satisfies(
                      message -> {
                        assertThat(message.key()).isEqualTo("A-17");
                        assertThat(message.value()).isEqualTo("{\"cents\": 1999}");
                        assertThat(header(message, "outbox-event-id")).isEqualTo(event.eventId());
                      });
            });
  }

  private static String header(ConsumerRecord<?, ?> message, String name) {
    return new String(message.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }

  private List<ConsumerRecord<String, String>> read() {
    List<ConsumerRecord<String, String>> messages = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", servers, "auto.offset.reset", "earliest"),
            new StringDeserializer(),
            new StringDeserializer())) {
      consumer.assign(List.of(new TopicPartition(topic, 0)));
      long end = System.nanoTime() + Outboxes.SOON.toNanos();
      while (messages.isEmpty() && System.nanoTime() - end < 0) {
        consumer.poll(Duration.ofMillis(200)).forEach(messages::add);
      }
    }
    return messages;
  }
}
