package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SoloStartTest {

  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(40);
  private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final SoloStart solo = new SoloStart();

  @AfterEach
  void endThreads() {
    threads.shutdownNow();
  }

  private Future<?> enter(SoloStart into) {
    return threads.submit(
        () -> {
          into.enter();
          return null;
        });
  }

  @Test
  void manyRunBesideEachOther() throws InterruptedException {
    solo.enter();
    solo.enter();
    solo.leave();
    solo.leave();
  }

  @Test
  void R7_aSuspectWaitsUntilNothingRuns() throws Exception {
    solo.enter();
    Future<Boolean> alone = threads.submit(() -> solo.tryEnterAlone("suspect", LONG_NANOS));
    await().until(() -> !alone.isDone());
    solo.leave();

    assertThat(alone.get(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void R7_aSuspectDoesNotWaitForEver() throws Exception {
    solo.enter(); // a listener that does not come back

    assertThat(solo.tryEnterAlone("suspect", SHORT_NANOS))
        .as("beside what has run for long")
        .isTrue();
    Future<?> other = enter(solo);
    await().pollDelay(Duration.ofMillis(50)).until(() -> !other.isDone());
    solo.leaveAlone("suspect");
    other.get(30, TimeUnit.SECONDS);
  }

  @Test
  void R7_nothingStartsBesideASuspect() throws Exception {
    solo.tryEnterAlone("suspect", SHORT_NANOS);
    Future<?> other = enter(solo);
    await().pollDelay(Duration.ofMillis(50)).until(() -> !other.isDone());
    solo.leaveAlone("suspect");

    other.get(30, TimeUnit.SECONDS);
  }

  @Test
  void R7_suspectsRunOneByOne() throws Exception {
    assertThat(solo.tryEnterAlone("suspect", SHORT_NANOS)).isTrue();
    assertThat(solo.tryEnterAlone("suspect", SHORT_NANOS)).isFalse();
    solo.leaveAlone("suspect");
    assertThat(solo.tryEnterAlone("suspect", SHORT_NANOS)).isTrue();
  }

  @Test
  void R7_aSuspectThatRunsForLongDoesNotHoldUpTheOthersForEver() throws Exception {
    SoloStart impatient = new SoloStart(SHORT_NANOS);
    impatient.tryEnterAlone("suspect", SHORT_NANOS);

    enter(impatient).get(30, TimeUnit.SECONDS);
    Future<Boolean> next = threads.submit(() -> impatient.tryEnterAlone("next", SHORT_NANOS));
    assertThat(next.get(30, TimeUnit.SECONDS)).as("nor the next suspect").isTrue();
    impatient.leaveAlone("suspect");
    enter(impatient).get(30, TimeUnit.SECONDS);
  }

  @Test
  void R7_underSteadyLoadASuspectGetsItsTurn() throws Exception {
    AtomicBoolean loaded = new AtomicBoolean(true);
    AtomicInteger served = new AtomicInteger();
    for (int i = 0; i < 16; i++) {
      threads.submit(
          () -> {
            while (loaded.get()) {
              solo.enter();
              LockSupport.parkNanos(
                  TimeUnit.MILLISECONDS.toNanos(10)); // as a listener on a network
              solo.leave();
              served.incrementAndGet();
            }
            return null;
          });
    }
    await().until(() -> served.get() > 20);

    for (int i = 0; i < 10; i++) {
      assertThat(solo.tryEnterAlone("suspect", LONG_NANOS / 8)).isTrue();
      solo.leaveAlone("suspect");
    }
    loaded.set(false);
  }

  @Test
  void R7_afterASuspectWaitedInVainTheOthersAreNotHeldUpAgainSoon() throws Exception {
    solo.enter(); // a listener that does not come back
    assertThat(solo.tryEnterAlone("suspect", SHORT_NANOS)).isTrue();
    solo.leaveAlone("suspect");

    Future<Boolean> again = threads.submit(() -> solo.tryEnterAlone("suspect", LONG_NANOS));
    assertThat(again.get(30, TimeUnit.SECONDS)).as("it does not even wait").isFalse();
    enter(solo).get(30, TimeUnit.SECONDS);
    solo.leave();
    solo.leave();
    assertThat(solo.tryEnterAlone("suspect", LONG_NANOS)).isTrue();
  }

  @Test
  void R7_aSuspectThatIsInterruptedHoldsUpNobody() throws Exception {
    solo.enter();
    Future<Boolean> alone = threads.submit(() -> solo.tryEnterAlone("suspect", LONG_NANOS));
    alone.cancel(true);

    enter(solo).get(30, TimeUnit.SECONDS);
  }
}
