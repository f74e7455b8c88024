package io.outbox.publishertests.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testbrokers.KafkaBroker;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testing.Await;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What the contract does not ask, on a real broker. */
@Timeout(120)
@Isolated
class KafkaPublisherTest {

  private static EventEnvelope event() {
    return EventEnvelope.builder("OrderPlaced")
        .aggregateType("Order")
        .aggregateId("o-1")
        .header("own", "ä")
        .payloadJson("{\"a\":1}")
        .build();
  }

  private static DispatchResult publish(KafkaPublisher publisher, EventEnvelope event)
      throws Exception {
    return publisher.onEvent(event).toCompletableFuture().get(60, TimeUnit.SECONDS);
  }

  private static ReceivedMessage receive(String topic) {
    List<ReceivedMessage> received = new ArrayList<>();
    try (KafkaConsumer<byte[], byte[]> consumer = KafkaFixture.consumer(topic)) {
      Await.until(
          "a message",
          Duration.ofSeconds(60),
          () -> {
            consumer
                .poll(Duration.ofMillis(100))
                .forEach(record -> received.add(KafkaFixture.message(record)));
            return !received.isEmpty();
          });
    }
    return received.get(0);
  }

  @Test
  void itIsRegisteredLikeAnyListener() {
    String servers = KafkaBroker.shared().bootstrapServers();
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    Outbox.SingleNodeBuilder outbox = Outbox.singleNode();
    // snippet: kafka
    KafkaPublisher publisher =
        KafkaPublisher.builder()
            .bootstrapServers(servers)
            .destination("orders.{aggregateType}")
            .build(); // close it after the outbox

    listeners.registerDefaultAsync(publisher);
    outbox.onDead(publisher.deadLetters(Destination.template("orders.dead")));
    // end
    assertThat(listeners.listenerFor("Order", "OrderPlaced")).isNotNull();
    publisher.close();
  }

  @Test
  void aCloudEventHasItsAttributesAsHeaders() throws Exception {
    EventEnvelope event = event();
    try (KafkaFixture fixture =
        new KafkaFixture(
            KafkaPublisher.builder()
                .format(MessageFormat.cloudEvents(URI.create("/orders-service"))))) {
      assertThat(publish(fixture.kafkaPublisher(), event)).isEqualTo(DispatchResult.done());
      assertThat(receive(fixture.topic()).headers())
          .containsEntry("ce_specversion", "1.0")
          .containsEntry("ce_id", event.eventId())
          .containsEntry("ce_source", "/orders-service")
          .containsEntry("ce_type", "OrderPlaced")
          .containsEntry("ce_subject", "o-1")
          .containsEntry("content-type", "application/json")
          .containsEntry("own", "ä");
    }
  }

  @Test
  void aDeadEventGoesToTheTopicOfDeadLettersWithTheReason() throws Exception {
    String letters = "dead-letters-" + UUID.randomUUID();
    KafkaFixture.createTopic(letters);
    EventEnvelope event = event();
    try (KafkaFixture fixture = new KafkaFixture()) {
      fixture
          .kafkaPublisher()
          .deadLetters(Destination.template(letters))
          .accept(event, "no such\ncustomer");
    }
    ReceivedMessage letter = receive(letters);
    assertThat(letter.headers())
        .containsEntry("outbox-event-id", event.eventId())
        .containsEntry(DeadLetterPublisher.REASON, "no such customer");
    assertThat(letter.key()).isEqualTo("o-1");
  }

  @Test
  void R25_anUnknownTopicIsAnOutageOfThatTopic() throws Exception {
    try (KafkaPublisher publisher =
        KafkaPublisher.builder()
            .bootstrapServers(KafkaBroker.shared().bootstrapServers())
            .destination("nobody-made-this")
            .build()) {
      assertThatThrownBy(() -> publisher.onEvent(event()).toCompletableFuture().join())
          .isInstanceOf(CompletionException.class)
          .hasRootCauseInstanceOf(UnknownTopicOrPartitionException.class)
          .cause()
          .isInstanceOfSatisfying(
              OutageException.class,
              outage -> assertThat(outage.destination()).isEqualTo("topic nobody-made-this"));
    }
  }

  @Test
  void anInvalidTopicIsRejectedForGood() throws Exception {
    try (KafkaPublisher publisher =
        KafkaPublisher.builder()
            .bootstrapServers(KafkaBroker.shared().bootstrapServers())
            .destination("orders/{eventType}")
            .build()) {
      assertThat(publish(publisher, event()))
          .isInstanceOfSatisfying(
              DispatchResult.Dead.class,
              dead -> assertThat(dead.reason()).contains("orders/OrderPlaced"));
    }
  }

  /** The broker takes nothing of a batch in which it refuses one record. */
  @Test
  void theNeighborsOfARefusedRecordAreNotToBlame() throws Exception {
    String topic = "compacted-" + UUID.randomUUID();
    KafkaFixture.createTopic(
        new NewTopic(topic, 1, (short) 1).configs(Map.of("cleanup.policy", "compact")));
    try (KafkaPublisher publisher =
        KafkaPublisher.builder()
            .bootstrapServers(KafkaBroker.shared().bootstrapServers())
            .producerConfig(Map.of("linger.ms", 3_000))
            .destination(topic)
            .build()) {
      CompletionStage<DispatchResult> first = publisher.onEvent(event());
      CompletionStage<DispatchResult> keyless =
          publisher.onEvent(EventEnvelope.ofJson("OrderPlaced", "{}"));
      CompletionStage<DispatchResult> last = publisher.onEvent(event());
      assertThat(keyless.toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isInstanceOf(DispatchResult.Dead.class);
      assertThat(first.toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isInstanceOf(DispatchResult.RetryAfter.class);
      assertThat(last.toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isInstanceOf(DispatchResult.RetryAfter.class);
      assertThat(publish(publisher, event())).isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void aBrokerThatIsNotThereIsAnOutageWithinTheBound() {
    long start = System.nanoTime();
    try (KafkaPublisher publisher =
        KafkaPublisher.builder()
            .bootstrapServers("127.0.0.1:1")
            .destination("orders")
            .maxBlock(Duration.ofMillis(300))
            .build()) {
      assertThatThrownBy(() -> publisher.onEvent(event()).toCompletableFuture().join())
          .hasCauseInstanceOf(OutageException.class);
    }
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(45));
  }
}
