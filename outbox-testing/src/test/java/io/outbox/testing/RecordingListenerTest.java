package io.outbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RecordingListenerTest {

  private static final Duration BOUND = Duration.ofSeconds(60);

  private final ManualClock clock = new ManualClock();
  private final RecordingListener listener = new RecordingListener(clock);
  private final EventEnvelope event = EventEnvelope.ofJson("Tested", "{}");

  @Test
  void deliveriesAreRecorded() throws Exception {
    assertThat(listener.onEvent(event)).isEqualTo(DispatchResult.done());

    assertThat(listener.deliveries())
        .containsExactly(
            new RecordingListener.Delivery(
                event, Thread.currentThread().getName(), clock.instant()));
    assertThat(listener.count(event.eventId())).isOne();
    assertThat(listener.count("another")).isZero();
  }

  @Test
  void itFailsAsOftenAsTold() throws Exception {
    listener
        .failNext(1)
        .failNext(1, () -> new IOException("io"))
        .failNext(1, StackOverflowError::new);

    assertThatThrownBy(() -> listener.onEvent(event)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> listener.onEvent(event)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> listener.onEvent(event)).isInstanceOf(StackOverflowError.class);
    listener.onEvent(event);
    assertThat(listener.count()).isEqualTo(4);
  }

  @Test
  void itAnswersWhatItIsTold() throws Exception {
    DispatchResult later = DispatchResult.retryAfter(Duration.ofSeconds(1));
    assertThat(listener.answer(later).onEvent(event)).isSameAs(later);
    assertThat(listener.answer((DispatchResult) null).onEvent(event)).isNull();
    assertThat(listener.answer(e -> DispatchResult.dead(e.eventId())).onEvent(event))
        .isEqualTo(DispatchResult.dead(event.eventId()));
  }

  @Test
  void itWaitsToBeReleased() throws Exception {
    listener.block();
    CompletableFuture<DispatchResult> running =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return listener.onEvent(event);
              } catch (Exception e) {
                throw new IllegalStateException(e);
              }
            });
    listener.awaitCount(1, BOUND);
    assertThat(listener.running()).isOne();
    assertThat(running).isNotDone();
    listener.release();

    assertThat(running.get(60, TimeUnit.SECONDS)).isEqualTo(DispatchResult.done());
    assertThat(listener.running()).isZero();
    assertThat(listener.mostRunning()).isOne();
  }

  @Test
  void waitingInVainSaysHowManyCame() throws Exception {
    listener.onEvent(event);
    assertThatThrownBy(() -> listener.awaitCount(2, Duration.ofMillis(5)))
        .isInstanceOf(AssertionError.class)
        .hasMessage("waited PT0.005S for 2 deliveries, so far 1");
  }
}
