package io.outbox.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R18: nothing but closing ends a thread of the engine. */
@Timeout(120)
class EngineThreadTest {

  private static final long LONG = TimeUnit.HOURS.toNanos(1);

  private final AtomicInteger rounds = new AtomicInteger();
  private final AtomicReference<Thread> thread = new AtomicReference<>();
  private EngineThread engine;

  private void start(EngineThread.Work work) {
    engine =
        new EngineThread(
            "outbox-tested-",
            "it failed",
            () -> {
              thread.set(Thread.currentThread());
              rounds.incrementAndGet();
              return work.run();
            });
    engine.start();
  }

  @AfterEach
  void close() {
    engine.close();
  }

  @Test
  void R18_anInterruptWhileItWaitsBeginsTheNextRound() {
    start(() -> LONG);
    await().until(() -> rounds.get() == 1);
    await().until(() -> thread.get().getState() == Thread.State.TIMED_WAITING);
    thread.get().interrupt();

    await().until(() -> rounds.get() == 2);
    assertThat(thread.get().isInterrupted()).isFalse();
  }

  @Test
  void R18_anInterruptWhileItWorksIsNotTheEnd() {
    CountDownLatch never = new CountDownLatch(1);
    start(
        () -> {
          never.await();
          return 0;
        });
    for (int i = 1; i <= 3; i++) {
      int before = i;
      await().until(() -> rounds.get() == before);
      thread.get().interrupt();
    }
    await().until(() -> rounds.get() == 4);
  }

  @Test
  void R18_itSurvivesWhateverItsWorkThrows() {
    start(
        () -> {
          switch (rounds.get()) {
            case 1 -> throw new IllegalStateException("injected");
            case 2 -> throw new StackOverflowError("injected");
            default -> {
              return LONG;
            }
          }
        });
    await().until(() -> rounds.get() == 3);
  }

  /** An exception of a driver, say, whose text cannot be had. */
  private static final class Unspeakable extends RuntimeException {
    private static final long serialVersionUID = 1L;

    @Override
    public String toString() {
      throw new StackOverflowError("injected");
    }
  }

  @Test
  void R18_itSurvivesWhatCannotEvenBeLogged() {
    start(
        () -> {
          if (rounds.get() == 1) {
            throw new Unspeakable();
          }
          return LONG;
        });
    await().until(() -> rounds.get() == 2);
  }

  @Test
  void closingEndsTheWaitAndItsLastWorkIsDone() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    start(() -> LONG);
    await().until(() -> rounds.get() == 1);
    engine.close(() -> ended.set(true));
    engine.join(LONG);

    assertThat(ended).isTrue();
    assertThat(rounds).hasValue(1);
    assertThat(thread.get().isAlive()).isFalse();
  }
}
