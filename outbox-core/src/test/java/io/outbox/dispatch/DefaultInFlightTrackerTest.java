package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DefaultInFlightTrackerTest {

  @Test
  void anEventIsInFlightOnce() {
    DefaultInFlightTracker tracker = new DefaultInFlightTracker();

    assertThat(tracker.tryAcquire("a")).isTrue();
    assertThat(tracker.tryAcquire("a")).isFalse();
    assertThat(tracker.tryAcquire("b")).isTrue();
    tracker.release("a");
    assertThat(tracker.tryAcquire("a")).isTrue();
  }

  @Test
  void releasingWhatIsNotInFlightDoesNothing() {
    new DefaultInFlightTracker().release("unknown");
  }

  @Test
  void withATimeToLiveAForgottenEntryStopsCounting() {
    DefaultInFlightTracker tracker = new DefaultInFlightTracker(50);
    assertThat(tracker.tryAcquire("a")).isTrue();

    await().until(() -> tracker.tryAcquire("a"));
    assertThat(tracker.tryAcquire("a")).as("it counts from anew").isFalse();
  }

  @Test
  void withALongTimeToLiveItCounts() {
    DefaultInFlightTracker tracker = new DefaultInFlightTracker(Long.MAX_VALUE);

    assertThat(tracker.tryAcquire("a")).isTrue();
    assertThat(tracker.tryAcquire("a")).isFalse();
  }

  @Test
  void ofManyThreadsOneGetsIt() {
    DefaultInFlightTracker tracker = new DefaultInFlightTracker();
    for (int round = 0; round < 200; round++) {
      String id = "e" + round;
      AtomicInteger acquired = new AtomicInteger();
      CompletableFuture<?>[] threads = new CompletableFuture<?>[4];
      for (int i = 0; i < threads.length; i++) {
        threads[i] =
            CompletableFuture.runAsync(
                () -> {
                  if (tracker.tryAcquire(id)) {
                    acquired.incrementAndGet();
                  }
                });
      }
      CompletableFuture.allOf(threads).join();
      assertThat(acquired).hasValue(1);
    }
  }

  @Test
  void R17_aTimeToLiveIsPositive() {
    assertThatIllegalArgumentException().isThrownBy(() -> new DefaultInFlightTracker(0));
  }
}
