package io.outbox.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class InFlightLimitTest {

  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(1);

  @Test
  void R13_smallEventsDoNotPassALargeOneThatWaitsForAPlace() throws Exception {
    InFlightLimit limit = new InFlightLimit(256, 1000);
    limit.acquire(200, LONG_NANOS);
    FutureTask<Void> large = acquireElsewhere(limit, 900);
    FutureTask<Void> small = acquireElsewhere(limit, 200);
    awaitStill(() -> !large.isDone() && !small.isDone());
    limit.release(200);
    large.get(30, TimeUnit.SECONDS);
    awaitStill(() -> !small.isDone());
    limit.release(900);

    small.get(30, TimeUnit.SECONDS);
    assertThat(limit.acquire(801, 0)).isFalse(); // beside the small one
    assertThat(limit.acquire(800, 0)).isTrue();
  }

  /** In a thread that has come to wait. */
  private static FutureTask<Void> acquireElsewhere(InFlightLimit limit, long size) {
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              limit.acquire(size, LONG_NANOS);
              return null;
            });
    Thread thread = new Thread(task);
    thread.setDaemon(true);
    thread.start();
    await().until(() -> thread.getState() == Thread.State.TIMED_WAITING || task.isDone());
    return task;
  }

  private static void awaitStill(Callable<Boolean> condition) {
    await().pollDelay(Duration.ofMillis(200)).until(condition);
  }
}
