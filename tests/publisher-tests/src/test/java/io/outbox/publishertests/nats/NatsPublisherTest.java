package io.outbox.publishertests.nats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nats.client.Message;
import io.nats.client.Options;
import io.nats.client.Subscription;
import io.nats.client.api.DiscardPolicy;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.UnrecoverableException;
import io.outbox.nats.NatsPublisher;
import io.outbox.publish.MessageFormat;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testbrokers.PublisherFixture;
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
class NatsPublisherTest {

  private static final Duration SHORT = Duration.ofSeconds(2);

  @Test
  void itIsRegisteredLikeAnyListener() {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    // snippet: nats
    NatsPublisher publisher =
        NatsPublisher.builder()
            .server("nats://n1.example.com:4222", "nats://n2.example.com:4222")
            .destination("orders.{aggregateType}.{eventType}")
            .build(); // close it after the outbox

    listeners.registerDefaultAsync(publisher);
    // end
    assertThat(listeners.listenerFor("Order", "OrderPlaced")).isNotNull();
    publisher.close();
  }

  @Test
  void anEventThatIsPublishedTwiceIsInTheStreamOnce() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      EventEnvelope event = changed(1);
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      assertThat(publish(fixture, changed(2))).isEqualTo(DispatchResult.done());
      assertThat(fixture.stored()).isEqualTo(2);
      assertThat(fixture.next().getHeaders().getFirst("Nats-Msg-Id")).isEqualTo(event.eventId());
    }
  }

  @Test
  void theAttributesOfACloudEventAreHeadersEncodedByItsRules() throws Exception {
    MessageFormat format = MessageFormat.cloudEvents(URI.create("/orders"));
    try (NatsFixture fixture = new NatsFixture(builder -> builder.format(format))) {
      EventEnvelope event =
          EventEnvelope.builder("Changed")
              .aggregateId("ä 100%")
              .header("note", "ü")
              .payloadJson("{}")
              .build();
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      Message message = fixture.next();
      assertThat(message.getHeaders().getFirst("ce-id")).isEqualTo(event.eventId());
      assertThat(message.getHeaders().getFirst("ce-source")).isEqualTo("/orders");
      assertThat(message.getHeaders().getFirst("ce-subject")).isEqualTo("%C3%A4%20100%25");
      assertThat(message.getHeaders().getFirst("content-type")).isEqualTo("application/json");
      assertThat(message.getHeaders().getFirst(NatsPublisher.ENCODED_HEADERS)).isEqualTo("note");
    }
  }

  @Test
  void headersThatNatsCannotCarryArriveEncoded() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      Map<String, String> headers =
          Map.of("lines", "a\r\nb: c", "space", " x ", "plain", "100 % \"x\"", "empty", "");
      EventEnvelope event =
          EventEnvelope.builder("Changed").headers(headers).payloadJson("{}").build();
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      Message message = fixture.next();
      assertThat(message.getHeaders().getFirst("plain")).isEqualTo("100 % \"x\"");
      assertThat(NatsFixture.decoded(message)).containsAllEntriesOf(headers);
    }
  }

  @Test
  void aSubjectOrHeaderThatCannotBeSentIsRefusedForGood() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      for (String bad : List.of("a b", "a.*", ">", "a..b", ".a", "a.", "a\nb")) {
        try (NatsPublisher publisher = fixture.builder().destination(event -> bad).build()) {
          assertThatThrownBy(() -> publisher.onEvent(changed(1)))
              .as(bad)
              .isInstanceOf(UnrecoverableException.class);
        }
      }
      EventEnvelope badHeader =
          EventEnvelope.builder("Changed").header("a b", "c").payloadJson("{}").build();
      assertThatThrownBy(() -> fixture.natsPublisher().onEvent(badHeader))
          .isInstanceOf(UnrecoverableException.class)
          .hasMessageContaining("a b");
    }
  }

  @Test
  void R25_aSubjectThatNoStreamTakesIsAnOutageOfThatSubject() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      EventEnvelope lost = EventEnvelope.ofJson(PublisherFixture.NOWHERE, "{}");
      assertThatThrownBy(() -> publish(fixture, lost))
          .cause()
          .isInstanceOfSatisfying(
              OutageException.class,
              outage ->
                  assertThat(outage.destination())
                      .isEqualTo(fixture.natsPublisher().destinationOf(lost)))
          .hasMessageContaining("no stream takes the subject");
      assertThat(publish(fixture, changed(1))).isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void whatIsTooLargeForTheServerIsDeadAndTheOthersGoOn() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      EventEnvelope large =
          EventEnvelope.builder("Changed")
              .payloadBytes(new byte[EventEnvelope.MAX_PAYLOAD_BYTES], "application/octet-stream")
              .build();
      CompletableFuture<DispatchResult> before = start(fixture, changed(1));
      assertThat(publish(fixture, large)).isInstanceOf(DispatchResult.Dead.class);
      assertThat(before.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      assertThat(publish(fixture, changed(2))).isEqualTo(DispatchResult.done());
    }
  }

  @Test
  void whatIsTooLargeForItsStreamIsDead() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      String small = "small-" + fixture.name();
      fixture.addStream(small, stream -> stream.maximumMessageSize(2_000));
      try (NatsPublisher publisher =
          fixture.builder().destination(small + ".{eventType}").build()) {
        EventEnvelope large = EventEnvelope.ofJson("Changed", "\"" + "x".repeat(3_000) + "\"");
        assertThat(publisher.onEvent(large).toCompletableFuture().get(60, TimeUnit.SECONDS))
            .isInstanceOf(DispatchResult.Dead.class);
      } finally {
        fixture.deleteStream(small);
      }
    }
  }

  @Test
  void aStreamThatRefusesBecauseItIsFullIsThrottling() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      String full = "full-" + fixture.name();
      fixture.addStream(full, stream -> stream.maxMessages(1).discardPolicy(DiscardPolicy.New));
      try (NatsPublisher publisher = fixture.builder().destination(full + ".{eventType}").build()) {
        assertThat(publisher.onEvent(changed(1)).toCompletableFuture().get(60, TimeUnit.SECONDS))
            .isEqualTo(DispatchResult.done());
        assertThat(publisher.onEvent(changed(2)).toCompletableFuture().get(60, TimeUnit.SECONDS))
            .isInstanceOf(DispatchResult.RetryAfter.class);
      } finally {
        fixture.deleteStream(full);
      }
    }
  }

  @Test
  void aServerThatSaysNothingIsAnOutageAndIsTriedAnew() throws Exception {
    try (NatsFixture fixture = new NatsFixture(builder -> builder.ackTimeout(SHORT))) {
      awaitDone(fixture);
      fixture.proxy().freeze();
      for (int n = 0; n < 10; n++) {
        assertOutage(start(fixture, changed(n)));
      }
      fixture.proxy().restore();
      awaitDone(fixture);
    }
  }

  @Test
  void aLostConnectionIsAnOutageAtOnce() throws Exception {
    try (NatsFixture fixture =
        new NatsFixture(builder -> builder.ackTimeout(Duration.ofMinutes(5)))) {
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
    try (NatsPublisher publisher =
        NatsPublisher.builder()
            .server("nats://me:secret@127.0.0.1:" + port)
            .destination("{eventType}")
            .build()) {
      for (int n = 0; n < 10; n++) {
        assertThatThrownBy(publisher.onEvent(changed(n)).toCompletableFuture()::join)
            .rootCause()
            .isInstanceOf(OutageException.class)
            .hasMessageContaining("127.0.0.1:" + port)
            .hasMessageNotContaining("secret");
      }
    }
  }

  @Test
  void coreNatsIsDoneWhenTheServerHasIt() throws Exception {
    try (NatsFixture fixture = new NatsFixture();
        NatsPublisher core =
            fixture.builder().coreNats().destination("core-" + fixture.name()).build()) {
      Subscription subscription = fixture.connection().subscribe("core-" + fixture.name());
      fixture.connection().flush(Duration.ofSeconds(60));
      // what waits for the first connection is in no order
      assertThat(core.onEvent(changed(-1)).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(DispatchResult.done());
      assertThat(subscription.nextMessage(Duration.ofSeconds(60))).isNotNull();
      List<EventEnvelope> events = new ArrayList<>();
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 2_000; n++) {
        events.add(changed(n));
        answers.add(core.onEvent(events.get(n)).toCompletableFuture());
      }
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      }
      for (EventEnvelope event : events) {
        Message message = subscription.nextMessage(Duration.ofSeconds(60));
        assertThat(NatsFixture.decoded(message)).containsEntry("outbox-event-id", event.eventId());
      }
    }
  }

  @Test
  void coreNatsTakesNothingForDoneThatWasOnALostConnection() throws Exception {
    try (NatsFixture fixture = new NatsFixture();
        NatsPublisher core =
            fixture.builder().coreNats().destination("core-" + fixture.name()).build()) {
      assertThat(core.onEvent(changed(0)).toCompletableFuture().get(60, TimeUnit.SECONDS))
          .isEqualTo(DispatchResult.done());
      fixture.proxy().freeze();
      CompletableFuture<DispatchResult> lost = core.onEvent(changed(1)).toCompletableFuture();
      fixture.proxy().cut();
      fixture.proxy().restore();
      assertOutage(lost);
      Await.until(
          "the server to be used again",
          Duration.ofSeconds(60),
          () -> isDone(core.onEvent(changed(2)).toCompletableFuture()));
    }
  }

  @Test
  void aDeadLetterHasTheReasonAndIsNotTakenForTheEventItself() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      EventEnvelope event = changed(1);
      assertThat(publish(fixture, event)).isEqualTo(DispatchResult.done());
      fixture
          .natsPublisher()
          .deadLetters(any -> fixture.subject("dead"))
          .accept(event, "grüne\nZeilen");
      assertThat(fixture.next().getSubject()).isEqualTo(fixture.subject("Changed"));
      Message letter = fixture.next();
      assertThat(letter.getSubject()).isEqualTo(fixture.subject("dead"));
      assertThat(NatsFixture.decoded(letter)).containsEntry("outbox-dead-reason", "grüne Zeilen");
    }
  }

  @Test
  void closingWaitsForAcknowledgementsAndLeavesNoThread() throws Exception {
    try (NatsFixture fixture = new NatsFixture()) {
      List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
      for (int n = 0; n < 500; n++) {
        answers.add(start(fixture, changed(n)));
      }
      fixture.natsPublisher().close();
      for (CompletableFuture<DispatchResult> answer : answers) {
        assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
      }
      assertOutage(start(fixture, changed(1)));
      fixture.natsPublisher().close();
      Await.until(
          "the publisher's threads to end",
          Duration.ofSeconds(60),
          () ->
              Thread.getAllStackTraces().keySet().stream()
                  .noneMatch(thread -> thread.getName().startsWith("outbox-nats")));
    }
  }

  @Test
  void aBuilderSaysWhatIsMissing() {
    assertThatThrownBy(() -> NatsPublisher.builder().destination("a").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("server");
    assertThatThrownBy(() -> NatsPublisher.builder().server("nats://localhost:1").build())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("destination");
    assertThatThrownBy(
            () ->
                NatsPublisher.builder()
                    .options(Options.builder().discardMessagesWhenOutgoingQueueFull().build()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("discard");
    assertThatThrownBy(() -> NatsPublisher.builder().ackTimeout(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static EventEnvelope changed(int n) {
    return EventEnvelope.ofJson("Changed", "{\"n\":" + n + "}");
  }

  private static CompletableFuture<DispatchResult> start(NatsFixture fixture, EventEnvelope event) {
    return fixture.natsPublisher().onEvent(event).toCompletableFuture();
  }

  private static DispatchResult publish(NatsFixture fixture, EventEnvelope event) throws Exception {
    return start(fixture, event).get(60, TimeUnit.SECONDS);
  }

  private static void awaitDone(NatsFixture fixture) {
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
