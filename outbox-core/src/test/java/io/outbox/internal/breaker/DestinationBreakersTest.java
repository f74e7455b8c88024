package io.outbox.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.UnrecoverableException;
import io.outbox.fakes.Events;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.PriorityQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** The type of an event is its destination. */
class DestinationBreakersTest {

  private static final EventEnvelope LOST = Events.event("lost", "A");
  private static final EventEnvelope LATER = Events.event("later", "A");
  private static final EventEnvelope ELSEWHERE = Events.event("elsewhere", "B");

  private final AtomicLong now = new AtomicLong(-1_000_000_000_000L);
  private final AtomicInteger changes = new AtomicInteger();
  private final DestinationBreakers breakers =
      new DestinationBreakers(
          event -> {
            if (event.eventType().equals("none")) {
              throw new UnrecoverableException("it has none");
            }
            return event.eventType();
          },
          now::get,
          changes::incrementAndGet);

  private Duration fail(EventEnvelope event) {
    return breakers.failed(
        event, OutageException.ofDestination(event.eventType(), "there is no such topic", null));
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void R25_onlyTheEventsOfTheMissingDestinationAreHeldBack() {
    assertThat(breakers.letsThrough(LOST)).isTrue();
    assertThat(fail(LOST)).isPositive();

    assertThat(breakers.letsThrough(LOST)).isFalse();
    assertThat(breakers.letsThrough(LATER)).isFalse();
    assertThat(breakers.letsThrough(ELSEWHERE)).isTrue();
    assertThat(breakers.missing()).singleElement().satisfies(this::isAsTold);
    assertThat(changes).hasValue(1);
  }

  private void isAsTold(DestinationBreaker breaker) {
    assertThat(breaker.destination()).isEqualTo("A");
    assertThat(breaker.reason()).hasMessage("there is no such topic");
    Outage told = breaker.outage(this, Instant.EPOCH);
    assertThat(told.since()).isEqualTo(Instant.EPOCH);
    assertThat(told.nextTrial()).isAfter(Instant.EPOCH);
  }

  @Test
  void R25_oneEventIsTriedAfterAPauseAndItsAnswerLetsAllThrough() {
    pass(fail(LOST));
    assertThat(breakers.letsThrough(LOST)).isTrue();
    assertThat(breakers.letsThrough(LATER)).isFalse();

    breakers.answered(LOST);
    assertThat(breakers.letsThrough(LATER)).isTrue();
    assertThat(breakers.missing()).isEmpty();
    assertThat(changes).hasValue(2);
  }

  @Test
  void anAnswerOfAnotherDestinationChangesNothing() {
    fail(LOST);
    breakers.answered(ELSEWHERE);

    assertThat(breakers.letsThrough(LOST)).isFalse();
  }

  @Test
  void theEventThatFailedComesBackForTheTrialAndTheOthersWithinHalfAMinute() {
    Duration trial = fail(LOST);
    for (int i = 0; i < 60; i++) {
      pass(trial);
      assertThat(breakers.letsThrough(LOST)).isTrue();
      trial = fail(LOST);
      assertThat(trial).isLessThanOrEqualTo(Duration.ofSeconds(10));
    }
    pass(Duration.ofDays(1));
    assertThat(breakers.of(LATER).pause(LATER.eventId()))
        .isBetween(Duration.ofSeconds(24), Duration.ofSeconds(30));
  }

  /** A destination that is missing for 20 minutes, with that many events, each read when due. */
  private final class Waiting {
    private final PriorityQueue<Long> dueNanos = new PriorityQueue<>();
    private long mostInASecond;

    Waiting(int events) {
      fail(LOST);
      long start = now.get();
      for (int i = 0; i < events; i++) {
        dueNanos.add(start + breakers.of(LATER).pause("e" + i).toNanos());
      }
      for (int second = 0; second < 20 * 60; second++) {
        pass(Duration.ofSeconds(1));
        int returned = 0;
        while (dueNanos.peek() <= now.get()) {
          dueNanos.remove();
          dueNanos.add(now.get() + breakers.of(LATER).pause("e" + returned++).toNanos());
        }
        mostInASecond = Math.max(mostInASecond, second < 60 ? 0 : returned);
      }
    }

    Duration longestWait() {
      return Duration.ofNanos(Collections.max(dueNanos) - now.get());
    }
  }

  @Test
  void R25_whenADestinationIsBackAfterLongItsEventsAreReadWithinSeconds() {
    assertThat(new Waiting(5_000).longestWait()).isLessThan(Duration.ofSeconds(35));
  }

  @Test
  void howeverManyEventsWaitForADestinationOnlySomeOfThemAreReadInASecond() {
    Waiting many = new Waiting(100_000);

    assertThat(many.mostInASecond).isLessThan(600);
    assertThat(many.longestWait()).isLessThanOrEqualTo(Duration.ofMinutes(5));
  }

  @Test
  void whatWasInFlightBesideTheTrialDoesNotProlongThePause() {
    Duration first = fail(LOST);
    for (int i = 0; i < 100; i++) {
      fail(Events.event("in-flight-" + i, "A"));
    }

    pass(first);
    assertThat(breakers.letsThrough(LATER)).isTrue();
  }

  @Test
  void aTrialThatWasNotCalledOrNeverAnsweredIsFollowedByAnother() {
    pass(fail(LOST));
    assertThat(breakers.letsThrough(LOST)).isTrue();
    breakers.notCalled(LOST);
    assertThat(breakers.letsThrough(LATER)).isTrue();
    breakers.unanswered(LATER);
    assertThat(breakers.letsThrough(LOST)).isFalse();
    pass(Duration.ofSeconds(10));
    assertThat(breakers.letsThrough(LOST)).isTrue();
    pass(Duration.ofNanos(BreakerTimes.LONGEST_PAUSE_NANOS));

    assertThat(breakers.letsThrough(LATER)).isTrue();
  }

  @Test
  void trialsOfManyDestinationsTogetherAreNotMany() {
    Duration longest = Duration.ZERO;
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 60; i++) {
        EventEnvelope event = Events.event("e" + i, "topic-" + i);
        breakers.letsThrough(event);
        Duration pause = fail(event);
        longest = longest.compareTo(pause) > 0 ? longest : pause;
      }
      pass(Duration.ofMinutes(5));
    }

    assertThat(longest).isBetween(Duration.ofSeconds(90), Duration.ofMinutes(2));
  }

  @Test
  void theirNumberIsBoundedAndThoseNobodyAsksForAreForgotten() {
    for (int i = 0; i < DestinationBreakers.MAX + 10; i++) {
      assertThat(fail(Events.event("e" + i, "topic-" + i))).isPositive();
    }
    assertThat(breakers.missing()).hasSize(DestinationBreakers.MAX);
    pass(Duration.ofHours(1));
    fail(LOST);

    assertThat(breakers.missing()).hasSize(1);
  }

  @Test
  void aDestinationWhoseEventsAreGoneIsNotMissedForEver() {
    fail(LOST);
    pass(Duration.ofMinutes(9));
    breakers.forgetIdle();
    assertThat(breakers.missing()).hasSize(1);
    pass(Duration.ofMinutes(2));
    breakers.forgetIdle();

    assertThat(breakers.missing()).isEmpty();
    assertThat(changes).hasValue(2);
  }

  @Test
  void anEventWithoutADestinationIsLetThroughToItsFailure() {
    EventEnvelope none = Events.event("none", "none");
    fail(LOST);

    assertThat(breakers.letsThrough(none)).isTrue();
    assertThat(fail(none)).isEqualTo(Duration.ofMinutes(1));
  }
}
