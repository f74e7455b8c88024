package io.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.fakes.CapturedLogs;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(120)
@ExtendWith(CapturedLogs.class)
class DeadLetterPublisherTest {

  private static final Duration BOUND = Duration.ofMillis(200);

  private final AtomicReference<EventEnvelope> published = new AtomicReference<>();

  private CompletionStage<DispatchResult> publish(EventEnvelope event) {
    published.set(event);
    return CompletableFuture.completedStage(DispatchResult.done());
  }

  @Test
  void theEventGoesAsItIsWithTheReasonInOneLine() {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateType("Order")
            .aggregateId("1")
            .tenantId("t")
            .orderingKey("o")
            .partitionKey("p")
            .header("own", "v")
            .payloadBytes(new byte[] {1, 2}, "application/avro")
            .build();
    new DeadLetterPublisher(this::publish, BOUND).accept(event, "first\n\tsecond");
    EventEnvelope letter = published.get();
    assertThat(letter.headers())
        .containsEntry("own", "v")
        .containsEntry(DeadLetterPublisher.REASON, "first second");
    assertThat(letter.payloadBytes()).containsExactly(1, 2);
    assertThat(letter)
        .returns(event.eventId(), EventEnvelope::eventId)
        .returns(event.eventType(), EventEnvelope::eventType)
        .returns(event.occurredAt(), EventEnvelope::occurredAt)
        .returns(event.aggregateType(), EventEnvelope::aggregateType)
        .returns(event.aggregateId(), EventEnvelope::aggregateId)
        .returns(event.tenantId(), EventEnvelope::tenantId)
        .returns(event.orderingKey(), EventEnvelope::orderingKey)
        .returns(event.partitionKey(), EventEnvelope::partitionKey)
        .returns(event.contentType(), EventEnvelope::contentType);
  }

  @Test
  void aLongReasonIsCutAndAMissingOneIsUnknown() {
    DeadLetterPublisher letters = new DeadLetterPublisher(this::publish, BOUND);
    EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
    letters.accept(event, "x".repeat(999) + "🎉" + "y");
    assertThat(published.get().headers().get(DeadLetterPublisher.REASON))
        .isEqualTo("x".repeat(999));
    letters.accept(event, null);
    assertThat(published.get().headers()).containsEntry(DeadLetterPublisher.REASON, "unknown");
  }

  @Test
  void aFailureIsLoggedAndNoWaitIsEndless() {
    EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
    assertThatCode(
            () -> {
              new DeadLetterPublisher(e -> new CompletableFuture<>(), BOUND).accept(event, "r");
              new DeadLetterPublisher(
                      e -> {
                        throw new IllegalStateException("broken");
                      },
                      BOUND)
                  .accept(event, "r");
              new DeadLetterPublisher(
                      e -> CompletableFuture.completedStage(DispatchResult.dead("too large")),
                      BOUND)
                  .accept(event, "r");
            })
        .doesNotThrowAnyException();
  }

  @Test
  void manyFailuresAreOneLineInTheLog() {
    DeadLetterPublisher letters =
        new DeadLetterPublisher(
            event -> CompletableFuture.failedStage(new IllegalStateException("down")), BOUND);
    for (int i = 0; i < 100; i++) {
      letters.accept(EventEnvelope.ofJson("OrderPlaced", "{}"), "why");
    }
    assertThat(CapturedLogs.of(DeadLetterPublisher.class, Level.WARNING)).hasSize(1);
  }
}
