package io.outbox.publishertests.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.publish.MessageFormat;
import io.outbox.redis.RedisPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testbrokers.PublisherFixture;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testing.Await;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated
class RedisPublisherTest {

  private static final Duration SHORT = Duration.ofSeconds(2);

  @Test
  void itIsRegisteredLikeAnyListener() {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    // snippet: redis
    RedisPublisher publisher =
        RedisPublisher.builder()
            .uri("redis://redis.example.com:6379")
            .destination("orders.{aggregateType}")
            .maxLength(1_000_000)
            .build(); // close it after the outbox

    listeners.registerDefaultAsync(publisher);
    // end
    assertThat(listeners.listenerFor("Order", "OrderPlaced")).isNotNull();
    publisher.close();
  }

  @Test
  void aPayloadOfAnyBytesArrivesAsItIs() throws Exception {
    try (RedisFixture fixture = new RedisFixture()) {
      byte[] all = new byte[512];
      for (int i = 0; i < all.length; i++) {
        all[i] = (byte) i;
      }
      EventEnvelope event =
          EventEnvelope.builder("Changed")
              .header("lines", "a\r\nb")
              .header("payload", "is replaced")
              .payloadBytes(all, "application/octet-stream")
              .build();
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      EventEnvelope empty =
          EventEnvelope.builder("Changed").payloadBytes(new byte[0], "text/plain").build();
      assertThat(publish(fixture, empty)).isEqualTo(DispatchResult.done());
      List<ReceivedMessage> received = fixture.receive();
      assertThat(received.get(0).body()).isEqualTo(all);
      assertThat(received.get(0).headers())
          .containsEntry("lines", "a\r\nb")
          .containsEntry("content-type", "application/octet-stream")
          .doesNotContainKey("payload");
      assertThat(received.get(1).body()).isEmpty();
    }
  }

  @Test
  void theAttributesOfACloudEventAreFieldsAndThePayloadsNameIsChosen() throws Exception {
    MessageFormat format = MessageFormat.cloudEvents(URI.create("/orders"));
    try (RedisFixture fixture =
        new RedisFixture(builder -> builder.format(format).payloadField("data"))) {
      EventEnvelope event = changed(1);
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      assertThat(fixture.receive().get(0).headers())
          .containsAllEntriesOf(
              Map.of(
                  "ce_id", event.eventId(),
                  "ce_source", "/orders",
                  "content-type", "application/json",
                  "data", "{\"n\":1}"));
    }
  }

  @Test
  void aStreamKeepsAboutAsManyAsItIsTold() throws Exception {
    try (RedisFixture fixture = new RedisFixture(builder -> builder.maxLength(100))) {
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 2_000; n++) {
        answers.add(start(fixture, changed(n)));
      }
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      }
      assertThat(fixture.commands().xlen(RedisFixture.bytes(fixture.name()))).isBetween(100L, 500L);
    }
  }

  @Test
  void R25_aKeyThatIsNoStreamIsAnOutageOfThatStreamOnly() throws Exception {
    try (RedisFixture fixture = new RedisFixture()) {
      CompletableFuture<DispatchResult> before = start(fixture, changed(1));
      CompletableFuture<DispatchResult> bad =
          start(fixture, EventEnvelope.ofJson(PublisherFixture.NOWHERE, "{}"));
      CompletableFuture<DispatchResult> after = start(fixture, changed(2));
      assertThatThrownBy(() -> bad.get(60, TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              OutageException.class,
              outage ->
                  assertThat(outage.destination())
                      .isEqualTo("stream " + fixture.name() + PublisherFixture.NOWHERE))
          .hasMessageContaining("WRONGTYPE");
      assertThat(before.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      assertThat(after.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void aServerThatSaysNothingIsAnOutageAndIsTriedAnew() throws Exception {
    try (RedisFixture fixture = new RedisFixture(builder -> builder.timeout(SHORT))) {
      awaitDone(fixture);
      fixture.proxy().freeze();
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 100; n++) {
        answers.add(start(fixture, changed(n)));
      }
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertOutage(answer);
      }
      assertOutage(start(fixture, changed(1)));
      fixture.proxy().restore();
      awaitDone(fixture);
    }
  }

  @Test
  void aLostConnectionIsAnOutageAtOnce() throws Exception {
    try (RedisFixture fixture =
        new RedisFixture(builder -> builder.timeout(Duration.ofMinutes(5)))) {
      assertThat(publish(fixture, changed(0))).isEqualTo(DispatchResult.done());
      fixture.proxy().freeze();
      CompletableFuture<DispatchResult> inFlight = start(fixture, changed(1));
      long start = System.nanoTime();
      fixture.proxy().cut();
      assertOutage(inFlight);
      assertOutage(start(fixture, changed(2)));
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofMinutes(1));
      fixture.proxy().restore();
      awaitDone(fixture);
    }
  }

  @Test
  void aServerThatIsNotThereIsAnOutage() throws Exception {
    int port;
    try (ServerSocket unused = new ServerSocket(0)) {
      port = unused.getLocalPort();
    }
    try (RedisPublisher publisher =
        RedisPublisher.builder()
            .uri("redis://127.0.0.1:" + port)
            .destination("{eventType}")
            .build()) {
      for (int n = 0; n < 10; n++) {
        assertOutage(publisher.onEvent(changed(n)).toCompletableFuture());
      }
    }
  }

  @Test
  void aDeadLetterHasTheReason() throws Exception {
    try (RedisFixture fixture = new RedisFixture()) {
      fixture
          .redisPublisher()
          .deadLetters(any -> fixture.name())
          .accept(EventEnvelope.ofJson("Broken", "{}"), "two\nlines");
      assertThat(fixture.receive().get(0).headers())
          .containsEntry("outbox-dead-reason", "two lines")
          .containsEntry("outbox-event-type", "Broken");
    }
  }

  @Test
  void closingWaitsForReplies() throws Exception {
    try (RedisFixture fixture = new RedisFixture()) {
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 500; n++) {
        answers.add(start(fixture, changed(n)));
      }
      fixture.redisPublisher().close();
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      }
      assertOutage(start(fixture, changed(1)));
      fixture.redisPublisher().close();
    }
  }

  @Test
  void aBuilderSaysWhatIsMissingAndShowsNoPassword() {
    assertThatThrownBy(() -> RedisPublisher.builder().destination("a").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("uri");
    assertThatThrownBy(() -> RedisPublisher.builder().uri("redis://localhost").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("destination");
    assertThatThrownBy(() -> RedisPublisher.builder().uri("redis://:secret@ho st"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasNoCause()
        .hasMessageNotContaining("secret");
    assertThatThrownBy(() -> RedisPublisher.builder().maxLength(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> RedisPublisher.builder().timeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static EventEnvelope changed(int n) {
    return EventEnvelope.ofJson("Changed", "{\"n\":" + n + "}");
  }

  private static CompletableFuture<DispatchResult> start(
      RedisFixture fixture, EventEnvelope event) {
    return fixture.redisPublisher().onEvent(event).toCompletableFuture();
  }

  private static DispatchResult publish(RedisFixture fixture, EventEnvelope event)
      throws Exception {
    return start(fixture, event).get(60, TimeUnit.SECONDS);
  }

  private static void awaitDone(RedisFixture fixture) {
    Await.until(
        "the server to be used again",
        Duration.ofSeconds(60),
        () -> isDone(start(fixture, changed(99))));
  }

  private static boolean isDone(CompletableFuture<DispatchResult> answer) {
    try {
      return answer.get(60, TimeUnit.SECONDS).equals(DispatchResult.done());
    } catch (Exception e) {
      return false;
    }
  }

  private static void assertOutage(CompletableFuture<DispatchResult> answer) {
    assertThatThrownBy(() -> answer.get(60, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .hasCauseInstanceOf(OutageException.class);
  }
}
