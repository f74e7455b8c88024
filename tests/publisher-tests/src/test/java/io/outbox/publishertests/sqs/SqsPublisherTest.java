package io.outbox.publishertests.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.internal.publish.DeadLetterPublisher;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.sqs.SqsPublisher;
import io.outbox.testbrokers.ReceivedMessage;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import software.amazon.awssdk.services.sqs.model.Message;

/** What the contract does not ask, on a real server. */
@Timeout(120)
@Isolated
class SqsPublisherTest {

  @AutoClose private final SqsFixture fixture = new SqsFixture(false);

  private static EventEnvelope event(int n) {
    return EventEnvelope.builder("OrderPlaced").payloadJson("{\"n\":" + n + "}").build();
  }

  private static CompletableFuture<DispatchResult> publish(
      SqsPublisher publisher, EventEnvelope e) {
    return publisher.onEvent(e).toCompletableFuture();
  }

  private static DispatchResult await(CompletableFuture<DispatchResult> answer) throws Exception {
    return answer.get(60, TimeUnit.SECONDS);
  }

  @Test
  void itIsRegisteredLikeAnyListener() {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    // snippet: sqs
    SqsPublisher publisher =
        SqsPublisher.builder()
            .region("eu-central-1")
            .destination("orders-{aggregateType}.fifo")
            .build(); // close it after the outbox

    listeners.registerDefaultAsync(publisher);
    // end
    assertThat(listeners.listenerFor("Order", "OrderPlaced")).isNotNull();
    publisher.close();
  }

  @Test
  void oneTooLargeMessageDoesNotHarmThoseBesideIt() throws Exception {
    List<CompletableFuture<DispatchResult>> answers = new ArrayList<>();
    for (int n = 0; n < 25; n++) {
      answers.add(publish(fixture.sqsPublisher(), n == 12 ? fixture.rejected() : event(n)));
    }
    for (int n = 0; n < 25; n++) {
      assertThat(await(answers.get(n)))
          .as("event %d", n)
          .isInstanceOf(n == 12 ? DispatchResult.Dead.class : DispatchResult.Done.class);
    }
    Set<String> arrived = new HashSet<>();
    Await.until(
        "24 messages",
        Duration.ofSeconds(60),
        () -> {
          fixture.receive().forEach(m -> arrived.add(m.headers().get("outbox-event-id")));
          return arrived.size() == 24;
        });
  }

  @Test
  void aQueueMayBeNamedByItsUrl() throws Exception {
    try (SqsPublisher publisher = fixture.publisherTo(fixture.url())) {
      assertThat(await(publish(publisher, event(1)))).isEqualTo(DispatchResult.done());
    }
    assertThat(fixture.receive()).hasSize(1);
  }

  @Test
  void aFifoQueueIgnoresASecondDelivery() throws Exception {
    String queue = "twice-" + UUID.randomUUID() + ".fifo";
    String url = fixture.createQueue(queue);
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced").partitionKey("k").payloadJson("{}").build();
    try (SqsPublisher publisher = fixture.publisherTo(queue)) {
      for (int i = 0; i < 3; i++) {
        assertThat(await(publish(publisher, event))).isEqualTo(DispatchResult.done());
      }
    }
    List<Message> first = fixture.receiveFrom(url);
    assertThat(first).hasSize(1);
    assertThat(first.get(0).attributesAsStrings()).containsEntry("MessageGroupId", "k");
    assertThat(fixture.receiveFrom(url)).isEmpty();
  }

  @Test
  void R25_anUnknownQueueIsAnOutageOfThatQueue() {
    try (SqsPublisher publisher = fixture.publisherTo("nobody-made-this")) {
      assertThatThrownBy(() -> await(publish(publisher, event(1))))
          .isInstanceOf(ExecutionException.class)
          .cause()
          .isInstanceOfSatisfying(
              OutageException.class,
              outage -> assertThat(outage.destination()).isEqualTo("queue nobody-made-this"));
    }
  }

  @Test
  void aServerThatDoesNotAnswerIsAnOutageWithinTheBound() {
    try (SqsFixture frozen =
        new SqsFixture(false, SqsPublisher.builder().timeout(Duration.ofMillis(500)))) {
      frozen.proxy().freeze();
      assertThatThrownBy(() -> await(publish(frozen.sqsPublisher(), event(1))))
          .hasCauseInstanceOf(OutageException.class);
    }
  }

  @Test
  void aDeadEventGoesToTheQueueOfDeadLettersWithTheReason() {
    String queue = "dead-" + UUID.randomUUID();
    String url = fixture.createQueue(queue);
    fixture.sqsPublisher().deadLetters(event -> queue).accept(event(1), "no such\ncustomer");
    ReceivedMessage letter = SqsFixture.message(fixture.receiveFrom(url).get(0));
    assertThat(letter.headers()).containsEntry(DeadLetterPublisher.REASON, "no such customer");
  }

  @Test
  void aClosedPublisherIsAnOutageAndNotTheEventsFault() {
    SqsPublisher publisher = fixture.publisherTo(fixture.url());
    publisher.close();
    assertThatThrownBy(() -> await(publish(publisher, event(1))))
        .hasCauseInstanceOf(OutageException.class);
  }
}
