package io.outbox.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Events;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;

class DeadLettersTest {

  private static final long A_SECOND = TimeUnit.SECONDS.toNanos(1);

  private final List<String> told = new CopyOnWriteArrayList<>();

  @Test
  void theHookIsToldOnAThreadOfItsOwn() throws InterruptedException {
    Thread[] thread = new Thread[1];
    DeadLetters letters =
        new DeadLetters(
            (event, reason) -> {
              thread[0] = Thread.currentThread();
              told.add(event.eventId() + ": " + reason);
            });
    letters.onDead(Events.event("a"), "why");
    letters.onDead(Events.event("b"), null);

    await().until(() -> told.equals(List.of("a: why", "b: null")));
    assertThat(thread[0]).isNotEqualTo(Thread.currentThread());
    letters.close(60 * A_SECOND);
  }

  @Test
  void theFallbackOfAListenerIsToldFirstAndItsFailureKeepsNothingFromTheHook()
      throws InterruptedException {
    DeadLetters letters =
        new DeadLetters(
            (event, reason) -> told.add("hook " + event.eventId()),
            event ->
                event.eventId().equals("a")
                    ? null
                    : (dead, reason) -> {
                      told.add("fallback " + dead.eventId());
                      throw new IllegalStateException("injected");
                    });
    letters.onDead(Events.event("a"), "why");
    letters.onDead(Events.event("b"), "why");

    await().until(() -> told.equals(List.of("hook a", "fallback b", "hook b")));
    letters.close(60 * A_SECOND);
  }

  @Test
  void withoutAHookNothingHappens() throws InterruptedException {
    DeadLetters letters = new DeadLetters(null);
    letters.onDead(Events.event("a"), "why");
    letters.close(60 * A_SECOND);
  }

  @Test
  void R13_theBytesOfEventsThatWaitForTheHookAreBounded() throws InterruptedException {
    CountDownLatch unblock = new CountDownLatch(1);
    DeadLetters letters =
        new DeadLetters(
            (event, reason) -> {
              try {
                unblock.await();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
              told.add(event.eventId());
            });
    for (int i = 0; i < 30; i++) {
      letters.onDead(Events.eventOfSize("e" + i, 1_000_000), "why");
    }
    unblock.countDown();

    await().until(() -> told.size() >= 10);
    letters.onDead(Events.event("later"), "why");
    await().until(() -> told.contains("later"));
    assertThat(told).hasSizeLessThan(25);
    letters.close(60 * A_SECOND);
  }

  @Test
  void R1_aHookThatThrowsIsLogged() throws InterruptedException {
    DeadLetters letters =
        new DeadLetters(
            (event, reason) -> {
              told.add(event.eventId());
              throw new StackOverflowError("injected");
            });
    letters.onDead(Events.event("a"), "why");
    letters.onDead(Events.event("b"), "why");

    await().until(() -> told.equals(List.of("a", "b")));
    letters.close(60 * A_SECOND);
    assertThat(logged("onDead failed")).hasSize(2);
  }

  @Test
  void R13_aSlowHookHoldsUpNobodyAndIsNotToldEverything() throws InterruptedException {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch unblock = new CountDownLatch(1);
    DeadLetters letters =
        new DeadLetters(
            (event, reason) -> {
              hanging.countDown();
              hang(unblock);
              told.add(event.eventId());
            });
    letters.onDead(Events.event("first"), "why");
    hanging.await(); // it has one in its hands, the others wait
    for (int i = 0; i < 2_000; i++) {
      letters.onDead(Events.event("e" + i), "why");
    }
    assertThat(logged("onDead is not called")).hasSize(1);
    unblock.countDown();

    await().until(() -> told.size() == 1_001);
    letters.close(60 * A_SECOND);
  }

  @Test
  void R15_closingTellsWhatIsWaitingAndRefusesTheRest() throws InterruptedException {
    DeadLetters letters = new DeadLetters((event, reason) -> told.add(event.eventId()));
    for (int i = 0; i < 100; i++) {
      letters.onDead(Events.event("e" + i), "why");
    }
    letters.close(60 * A_SECOND);
    letters.onDead(Events.event("late"), "why");

    assertThat(told).hasSize(100);
    assertThat(logged("onDead is not called")).hasSize(1);
  }

  @Test
  void R15_closingIsBoundedWhenTheHookHangs() throws InterruptedException {
    DeadLetters letters = new DeadLetters((event, reason) -> hang(new CountDownLatch(1)));
    letters.onDead(Events.event("a"), "why");

    long start = System.nanoTime();
    letters.close(A_SECOND / 20);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
  }

  private static List<String> logged(String start) {
    return CapturedLogs.of(DeadLetters.class, Level.WARNING).stream()
        .filter(text -> text.startsWith(start))
        .toList();
  }

  private static void hang(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
