package io.outbox.internal.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WakeUpsTest {

  private static final long LONG_NANOS = TimeUnit.MINUTES.toNanos(10);

  private static final Duration SOON = Duration.ofSeconds(60);

  private final EngineClock clock = new EngineClock(Clock.systemUTC());
  private final WakeUps wakeUps = new WakeUps();

  private CompletableFuture<Duration> waiting(long maxNanos) {
    return CompletableFuture.supplyAsync(
        () -> {
          long start = System.nanoTime();
          try {
            wakeUps.await(maxNanos, clock);
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
          return Duration.ofNanos(System.nanoTime() - start);
        });
  }

  private static Duration ended(CompletableFuture<Duration> waiting) {
    await().until(waiting::isDone);
    return waiting.join();
  }

  @Test
  void withNothingToDoTheWholeIntervalPasses() {
    assertThat(ended(waiting(TimeUnit.MILLISECONDS.toNanos(50)))).isGreaterThan(ms(49));
  }

  @Test
  void R11_anEventThatWillBeDueEndsTheWait() {
    Instant due = clock.now().plusMillis(150);
    wakeUps.at(due);
    ended(waiting(LONG_NANOS));

    assertThat(clock.now()).as("not before its time").isAfter(due);
  }

  @Test
  void R11_anEarlierEventEndsAWaitThatHasBegun() {
    wakeUps.at(clock.now().plusSeconds(600));
    CompletableFuture<Duration> waiting = waiting(LONG_NANOS);
    wakeUps.at(clock.now().plusMillis(50));

    assertThat(ended(waiting)).isLessThan(SOON);
  }

  @Test
  void R11_aLaterEventDoesNotHideAnEarlierOne() {
    wakeUps.at(clock.now().plusMillis(50));
    wakeUps.at(clock.now().plusSeconds(600));

    assertThat(ended(waiting(LONG_NANOS))).isLessThan(SOON);
  }

  @Test
  void somethingToDoNowEndsTheWait() {
    CompletableFuture<Duration> waiting = waiting(LONG_NANOS);
    wakeUps.now();

    assertThat(ended(waiting)).isLessThan(SOON);
  }

  @Test
  void aStormOfReasonsIsAFewPolls() throws InterruptedException {
    int polls = 0;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
    while (System.nanoTime() - end < 0) {
      wakeUps.now();
      wakeUps.await(LONG_NANOS, clock);
      wakeUps.clear(clock);
      polls++;
    }

    assertThat(polls).isLessThanOrEqualTo(11);
  }

  @Test
  void whatIsDueIsForgottenByThePollThatWillSeeIt() {
    wakeUps.now();
    wakeUps.at(clock.now());
    wakeUps.clear(clock);

    assertThat(ended(waiting(TimeUnit.MILLISECONDS.toNanos(100)))).isGreaterThan(ms(99));
  }

  @Test
  void R11_whatIsNotDueYetIsNotForgotten() {
    wakeUps.at(clock.now().minusSeconds(1));
    wakeUps.at(clock.now().plusMillis(200));
    wakeUps.clear(clock);

    assertThat(ended(waiting(LONG_NANOS))).isLessThan(SOON);
  }

  @Test
  void R11_aReasonThatComesAfterTheClearingEndsTheNextWait() {
    wakeUps.clear(clock);
    wakeUps.now();

    assertThat(ended(waiting(LONG_NANOS))).isLessThan(SOON);
  }

  @Test
  void R13_onlySoManyInstantsAreKeptAndTheEarliestAreAmongThem() {
    Instant base = clock.now().plusSeconds(1_000);
    for (int i = 0; i < 5_000; i++) {
      wakeUps.at(base.plusMillis(i));
    }
    wakeUps.at(clock.now().plusMillis(50));

    assertThat(ended(waiting(LONG_NANOS))).isLessThan(SOON);
  }

  @Test
  void anInstantVeryFarAwayDoesNoHarm() {
    wakeUps.at(Instant.MAX);

    assertThat(ended(waiting(TimeUnit.MILLISECONDS.toNanos(20)))).isGreaterThan(ms(19));
  }

  @Test
  void R15_closingEndsEveryWaitForGood() {
    CompletableFuture<Duration> waiting = waiting(LONG_NANOS);
    wakeUps.close();

    assertThat(ended(waiting)).isLessThan(SOON);
    assertThat(ended(waiting(LONG_NANOS))).isLessThan(SOON);
  }

  @Test
  void aPauseIsEndedByClosingOnly() throws Exception {
    wakeUps.now();
    CompletableFuture<Void> paused =
        CompletableFuture.runAsync(
            () -> {
              try {
                wakeUps.pause(LONG_NANOS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    wakeUps.now();
    assertThat(paused).isNotDone();
    wakeUps.close();

    await().until(paused::isDone);
  }

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }
}
