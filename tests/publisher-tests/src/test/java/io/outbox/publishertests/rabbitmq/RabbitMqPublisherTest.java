package io.outbox.publishertests.rabbitmq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.Delivery;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.RecoverableException;
import io.outbox.UnrecoverableException;
import io.outbox.publish.MessageFormat;
import io.outbox.rabbitmq.RabbitMqPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testing.Await;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class RabbitMqPublisherTest {

  private static final Duration SHORT = Duration.ofSeconds(2);

  @Test
  void itIsRegisteredLikeAnyListener() {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    // snippet: rabbitmq
    RabbitMqPublisher publisher =
        RabbitMqPublisher.builder()
            .uri("amqp://orders:secret@rabbit.example.com/shop")
            .destination("orders")
            .routingKey("{aggregateType}.{eventType}")
            .build(); // close it after the outbox

    listeners.registerDefaultAsync(publisher);
    // end
    assertThat(listeners.listenerFor("Order", "OrderPlaced")).isNotNull();
    publisher.close();
  }

  @Test
  void aMessageHasTheEventsIdTypeTimeAndContentTypeAndIsPersistent() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      Instant time = Instant.parse("2026-01-02T03:04:05Z");
      EventEnvelope event =
          EventEnvelope.builder("OrderChanged")
              .occurredAt(time)
              .payloadBytes(new byte[] {0, -1, 13, 10}, "application/x-protobuf")
              .build();
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      Delivery delivery = fixture.next();
      AMQP.BasicProperties properties = delivery.getProperties();
      assertThat(properties.getMessageId()).isEqualTo(event.eventId());
      assertThat(properties.getType()).isEqualTo("OrderChanged");
      assertThat(properties.getContentType()).isEqualTo("application/x-protobuf");
      assertThat(properties.getDeliveryMode()).isEqualTo(2);
      assertThat(properties.getTimestamp()).isEqualTo(Date.from(time));
      assertThat(properties.getHeaders()).doesNotContainKey("content-type");
      assertThat(delivery.getEnvelope().getRoutingKey()).isEqualTo("OrderChanged");
      assertThat(delivery.getBody()).isEqualTo(new byte[] {0, -1, 13, 10});
    }
  }

  @Test
  void theAttributesOfACloudEventAreHeaders() throws Exception {
    MessageFormat format = MessageFormat.cloudEvents(URI.create("/orders"));
    try (RabbitFixture fixture = new RabbitFixture(builder -> builder.format(format))) {
      EventEnvelope event =
          EventEnvelope.builder("OrderChanged").aggregateId("ä-1").payloadJson("{}").build();
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      AMQP.BasicProperties properties = fixture.next().getProperties();
      assertThat(properties.getContentType()).isEqualTo("application/json");
      Map<String, Object> headers = properties.getHeaders();
      assertThat(headers.get("cloudEvents_specversion")).hasToString("1.0");
      assertThat(headers.get("cloudEvents_id")).hasToString(event.eventId());
      assertThat(headers.get("cloudEvents_source")).hasToString("/orders");
      assertThat(headers.get("cloudEvents_subject")).hasToString("ä-1");
    }
  }

  @Test
  void whatNoQueueTakesIsDeadIfThatIsWantedThoughTheBrokerAcknowledgesIt() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture(builder -> builder.unroutableIsDead(true))) {
      List<CompletableFuture<DispatchResult>> others = new ArrayList<>();
      CompletableFuture<DispatchResult> unwanted = null;
      for (int n = 0; n < 200; n++) {
        others.add(start(fixture, wanted(n)));
        if (n == 100) {
          unwanted = start(fixture, EventEnvelope.ofJson(RabbitFixture.UNWANTED, "{}"));
        }
      }
      assertThat(unwanted.get(60, TimeUnit.SECONDS))
          .isInstanceOfSatisfying(
              DispatchResult.Dead.class,
              dead -> assertThat(dead.reason()).contains("unroutable", fixture.exchange()));
      assertAllDone(others);
    }
  }

  @Test
  void R25_whatNoQueueTakesIsRetriedForABindingMayBeMissing() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      EventEnvelope unwanted = EventEnvelope.ofJson(RabbitFixture.UNWANTED, "{}");
      assertThatThrownBy(() -> publish(fixture, unwanted))
          .cause()
          .isInstanceOf(RecoverableException.class)
          .isNotInstanceOf(OutageException.class)
          .hasMessageContaining("unroutable")
          .hasMessageContaining(fixture.exchange());
      fixture.channel().queueBind(fixture.exchange(), fixture.exchange(), RabbitFixture.UNWANTED);
      assertThat(publish(fixture, unwanted)).isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void R25_aQueueThatIsMissingIsAnOutageOfThatQueueUntilItIsThere() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture();
        RabbitMqPublisher publisher =
            RabbitMqPublisher.builder()
                .connectionFactory(fixture.proxied())
                .queue(event -> fixture.missingExchange())
                .build()) {
      String queue = fixture.missingExchange();
      assertOutageOf("queue " + queue, publisher.onEvent(wanted(1)).toCompletableFuture());
      assertThat(publisher.destinationOf(wanted(1))).isEqualTo("queue " + queue);
      fixture.channel().queueDeclare(queue, false, true, true, Map.of());
      assertThat(publisher.onEvent(wanted(1)).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void whatNoQueueTakesIsDoneIfThatIsAllowed() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture(builder -> builder.mandatory(false))) {
      assertThat(publish(fixture, EventEnvelope.ofJson(RabbitFixture.UNWANTED, "{}")))
          .isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void R25_anUnknownExchangeIsAnOutageOfItsOwnAndTheManyBesideItArrive() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      List<CompletableFuture<DispatchResult>> good = new ArrayList<>();
      List<CompletableFuture<DispatchResult>> bad = new ArrayList<>();
      for (int n = 0; n < 2_000; n++) {
        good.add(start(fixture, wanted(n)));
        if (n % 100 == 50) {
          bad.add(start(fixture, EventEnvelope.ofJson(PublisherFixture.NOWHERE, "{}")));
        }
      }
      assertAllDone(good);
      for (CompletableFuture<DispatchResult> answer : bad) {
        assertOutageOf("exchange " + fixture.missingExchange(), answer);
      }
    }
  }

  @Test
  void anExchangeThatWasMissingIsUsedOnceItIsThere() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      EventEnvelope event = EventEnvelope.ofJson(PublisherFixture.NOWHERE, "{}");
      assertOutageOf("exchange " + fixture.missingExchange(), start(fixture, event));
      fixture.channel().exchangeDeclare(fixture.missingExchange(), "fanout");
      fixture.channel().queueBind(fixture.exchange(), fixture.missingExchange(), "");
      try {
        assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
        assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      } finally {
        fixture.channel().exchangeDelete(fixture.missingExchange());
      }
    }
  }

  @Test
  void whatTheClientCannotWriteIsDeadAndTheOthersGoOn() throws Exception {
    try (RabbitFixture outer = new RabbitFixture()) {
      ConnectionFactory smallFrames = outer.proxied();
      smallFrames.setRequestedFrameMax(8_192);
      try (RabbitMqPublisher publisher = outer.builder().connectionFactory(smallFrames).build()) {
        List<CompletableFuture<DispatchResult>> good = new ArrayList<>();
        CompletableFuture<DispatchResult> bad = null;
        for (int n = 0; n < 100; n++) {
          good.add(publisher.onEvent(wanted(n)).toCompletableFuture());
          if (n == 50) {
            bad =
                publisher
                    .onEvent(
                        EventEnvelope.builder("OrderChanged")
                            .header("large", "x".repeat(10_000))
                            .payloadJson("{}")
                            .build())
                    .toCompletableFuture();
          }
        }
        assertThat(bad.get(60, TimeUnit.SECONDS)).isInstanceOf(DispatchResult.Dead.class);
        assertAllDone(good);
      }
    }
  }

  @Test
  void aQueueThatRefusesBecauseItIsFullIsThrottling() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      String queue = fixture.exchange() + "-full";
      Map<String, Object> tiny = Map.of("x-max-length", 1, "x-overflow", "reject-publish");
      fixture.channel().queueDeclare(queue, true, false, false, tiny);
      fixture.channel().queueBind(queue, fixture.exchange(), "Full");
      try {
        List<DispatchResult> results = new ArrayList<>();
        for (int n = 0; n < 3; n++) {
          results.add(publish(fixture, EventEnvelope.ofJson("Full", "{}")));
        }
        assertThat(results.get(0)).isEqualTo(DispatchResult.done());
        assertThat(results.get(2)).isInstanceOf(DispatchResult.RetryAfter.class);
      } finally {
        fixture.channel().queueDelete(queue);
      }
    }
  }

  @Test
  void namesThatTheProtocolCannotCarryAreRefusedBeforeAnythingIsSent() throws Exception {
    try (RabbitFixture fixture =
        new RabbitFixture(builder -> builder.routingKey(EventEnvelope::aggregateId))) {
      assertThatThrownBy(
              () ->
                  fixture
                      .rabbitPublisher()
                      .onEvent(
                          EventEnvelope.builder("OrderChanged")
                              .aggregateId("ä".repeat(128))
                              .payloadJson("{}")
                              .build()))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("routing key");
      assertThatThrownBy(() -> fixture.rabbitPublisher().onEvent(wanted(1)))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("has no routing key");
    }
  }

  @Test
  void aBrokerThatSaysNothingIsAnOutageAndIsTriedAnew() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture(builder -> builder.confirmTimeout(SHORT))) {
      Await.until(
          "the broker to be used", Duration.ofSeconds(60), () -> isDone(start(fixture, wanted(0))));
      fixture.proxy().freeze();
      // more than the buffers on the way take: the write itself hangs
      byte[] large = new byte[1_000_000];
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 30; n++) {
        answers.add(
            start(
                fixture,
                EventEnvelope.builder("OrderChanged")
                    .payloadBytes(large, "application/octet-stream")
                    .build()));
      }
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertOutage(answer);
      }
      fixture.proxy().restore();
      Await.until(
          "the broker to be used again",
          Duration.ofSeconds(60),
          () -> isDone(start(fixture, wanted(1))));
    }
  }

  @Test
  void aBrokerThatIsNotThereIsAnOutageAtOnce() throws Exception {
    int port;
    try (ServerSocket unused = new ServerSocket(0)) {
      port = unused.getLocalPort();
    }
    try (RabbitMqPublisher publisher =
        RabbitMqPublisher.builder()
            .uri("amqp://guest:guest@127.0.0.1:" + port)
            .destination("orders")
            .build()) {
      for (int n = 0; n < 20; n++) {
        assertOutage(publisher.onEvent(wanted(n)).toCompletableFuture());
      }
    }
  }

  @Test
  void theNodesOfAClusterAreTriedInTurn() throws Exception {
    int port;
    try (ServerSocket unused = new ServerSocket(0)) {
      port = unused.getLocalPort();
    }
    try (RabbitFixture fixture = new RabbitFixture();
        RabbitMqPublisher publisher =
            fixture
                .builder()
                .addresses("127.0.0.1:" + port + ",127.0.0.1:" + fixture.proxy().port())
                .build()) {
      assertThat(publisher.onEvent(wanted(1)).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void aDeadLetterHasTheReason() throws Exception {
    try (RabbitFixture fixture =
        new RabbitFixture(builder -> builder.routingKey(event -> "Other." + event.eventType()))) {
      EventEnvelope event = EventEnvelope.ofJson("Broken", "{\"a\": 1}");
      fixture.rabbitPublisher().deadLetters(any -> fixture.exchange()).accept(event, "two\nlines");
      Delivery delivery = fixture.next();
      assertThat(delivery.getProperties().getHeaders().get("outbox-dead-reason"))
          .hasToString("two lines");
      assertThat(delivery.getBody()).isEqualTo("{\"a\": 1}".getBytes(StandardCharsets.UTF_8));
    }
  }

  @Test
  void aDeadLetterThatCannotBeSentHarmsNobody() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      fixture
          .rabbitPublisher()
          .deadLetters(any -> fixture.missingExchange())
          .accept(EventEnvelope.ofJson("Broken", "{}"), null);
      assertThat(publish(fixture, wanted(1))).isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void closingWaitsForConfirmsAndLeavesNoThread() throws Exception {
    try (RabbitFixture fixture = new RabbitFixture()) {
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 500; n++) {
        answers.add(start(fixture, wanted(n)));
      }
      fixture.rabbitPublisher().close();
      assertAllDone(answers);
      assertOutage(start(fixture, wanted(1)));
      fixture.rabbitPublisher().close();
      Await.until(
          "the publisher's threads to end",
          Duration.ofSeconds(60),
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().startsWith("outbox-rabbitmq")));
    }
  }

  @Test
  void aBuilderSaysWhatIsMissingAndShowsNoPassword() {
    assertThatThrownBy(() -> RabbitMqPublisher.builder().destination("orders").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("uri");
    assertThatThrownBy(() -> RabbitMqPublisher.builder().uri("amqp://localhost").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("destination");
    assertThatThrownBy(() -> RabbitMqPublisher.builder().uri("amqp://me:secret@ho st"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> RabbitMqPublisher.builder().confirmTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static EventEnvelope wanted(int n) {
    return EventEnvelope.ofJson("OrderChanged", "{\"n\":" + n + "}");
  }

  private static CompletableFuture<DispatchResult> start(
      RabbitFixture fixture, EventEnvelope event) {
    return fixture.rabbitPublisher().onEvent(event).toCompletableFuture();
  }

  private static DispatchResult publish(RabbitFixture fixture, EventEnvelope event)
      throws Exception {
    return start(fixture, event).get(60, TimeUnit.SECONDS);
  }

  private static boolean isDone(CompletableFuture<DispatchResult> answer) {
    try {
      return answer.get(60, TimeUnit.SECONDS).equals(DispatchResult.done());
    } catch (Exception e) {
      return false;
    }
  }

  private static void assertAllDone(List<CompletableFuture<DispatchResult>> answers)
      throws Exception {
    for (CompletableFuture<DispatchResult> answer : answers) {
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
    }
  }

  private static void assertOutageOf(String destination, CompletableFuture<DispatchResult> answer) {
    assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
        .cause()
        .isInstanceOfSatisfying(
            OutageException.class,
            outage -> assertThat(outage.destination()).isEqualTo(destination));
  }

  private static void assertOutage(CompletableFuture<DispatchResult> answer) {
    assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(OutageException.class);
  }
}
