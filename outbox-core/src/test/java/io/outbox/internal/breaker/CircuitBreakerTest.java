package io.outbox.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.fakes.Events;
import io.outbox.model.EventRoute;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CircuitBreakerTest {

  private static final EventEnvelope EVENT = Events.event("e");
  private static final EventEnvelope OTHER = Events.event("other");
  private static final OutageException DOWN = new OutageException("down");

  private final AtomicLong now = new AtomicLong();
  private final List<Boolean> changes = new ArrayList<>();
  private final InFlightLimit limit = new InFlightLimit(1, 1);
  private final CircuitBreaker breaker =
      new CircuitBreaker(now::get, limit, changed -> changes.add(changed.isOpen()));

  private Duration fail(EventEnvelope event) {
    return breaker.failed(event, true, DOWN);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void itIsClosedUntilItsDestinationIsDown() {
    assertThat(breaker.letsThrough(EVENT)).isTrue();
    fail(EVENT);

    assertThat(breaker.letsThrough(EVENT)).isFalse();
    assertThat(breaker.heldBackRoutes()).containsExactly(EventRoute.of(EVENT));
    assertThat(changes).containsExactly(true);
  }

  @Test
  void R24_itSaysSinceWhenItIsDownThroughTrialsThatFail() {
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    assertThat(breaker.outage("listener", start)).isNull();
    fail(EVENT);
    Duration pause = breaker.pause();
    pass(pause);
    breaker.letsThrough(OTHER);
    assertThat(breaker.outage("listener", start.plus(pause)).state()).isEqualTo(Outage.HALF_OPEN);
    fail(OTHER);

    Outage outage = breaker.outage("listener", start.plus(pause));
    assertThat(outage.state()).isEqualTo(Outage.OPEN);
    assertThat(outage.since()).isEqualTo(start);
    assertThat(outage.reason()).isEqualTo("down");
    assertThat(outage.nextTrial()).isEqualTo(start.plus(pause).plus(breaker.pause()));
  }

  @Test
  void afterAPauseOneTrialIsLetThrough() {
    fail(EVENT);
    pass(breaker.pause());

    assertThat(breaker.heldBackRoutes()).isEmpty();
    assertThat(breaker.letsThrough(OTHER)).isTrue();
    assertThat(breaker.letsThrough(EVENT)).isFalse();
    assertThat(breaker.heldBackRoutes()).containsExactly(EventRoute.of(EVENT));
    assertThat(breaker.pause()).isPositive();
  }

  @Test
  void aTrialThatIsAnsweredClosesIt() {
    fail(EVENT);
    pass(breaker.pause());
    breaker.letsThrough(OTHER);
    breaker.answered();

    assertThat(breaker.letsThrough(EVENT)).isTrue();
    assertThat(breaker.letsThrough(EVENT)).isTrue();
    assertThat(breaker.heldBackRoutes()).isEmpty();
    assertThat(changes).containsExactly(true, false);
  }

  /** What failed alone comes back before the others, and would be one trial after the other. */
  @Test
  void anEventThatHasNotFailedIsPreferredForATrial() {
    breaker.answered();
    List<EventEnvelope> bad = IntStream.range(0, 100).mapToObj(n -> Events.event("b" + n)).toList();
    bad.forEach(this::fail);
    assertThat(breaker.isOpen()).isFalse();
    pass(Duration.ofSeconds(1));
    fail(bad.get(99));
    pass(breaker.pause());

    assertThat(bad).noneMatch(breaker::letsThrough);
    assertThat(breaker.letsThrough(OTHER)).isTrue();
    breaker.notCalled(OTHER);
    pass(Duration.ofSeconds(1));
    assertThat(breaker.letsThrough(bad.get(0))).as("if there is no other").isTrue();
  }

  @Test
  void aTrialThatDidNotComeToTheListenerIsFollowedByAnother() {
    fail(EVENT);
    pass(breaker.pause());
    breaker.letsThrough(OTHER);
    breaker.notCalled(OTHER);

    assertThat(breaker.letsThrough(OTHER)).isTrue();
  }

  @Test
  void pausesGrowUpToABound() {
    fail(EVENT);
    Duration first = breaker.pause();
    Duration last = first;
    for (int i = 0; i < 100; i++) {
      pass(breaker.pause());
      EventEnvelope next = Events.event("trial" + i);
      assertThat(breaker.letsThrough(next)).isTrue();
      fail(next);
      last = breaker.pause();
    }

    assertThat(first.toNanos())
        .isBetween(BreakerTimes.FIRST_PAUSE_NANOS / 2, BreakerTimes.FIRST_PAUSE_NANOS);
    assertThat(last.toNanos())
        .isBetween(BreakerTimes.LONGEST_PAUSE_NANOS / 2, BreakerTimes.LONGEST_PAUSE_NANOS);
  }

  @Test
  void whatWasInFlightWhenItOpenedDoesNotKeepItOpen() {
    fail(EVENT);
    Duration pause = breaker.pause();
    pass(Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(1)));
    fail(EVENT);

    assertThat(breaker.pause()).isLessThan(pause);
    assertThat(changes).containsExactly(true);
  }

  @Test
  void aTrialThatIsNeverAnsweredIsFollowedByAnother() {
    fail(EVENT);
    pass(breaker.pause());
    assertThat(breaker.letsThrough(OTHER)).isTrue();
    pass(Duration.ofNanos(BreakerTimes.LONGEST_PAUSE_NANOS));

    assertThat(breaker.heldBackRoutes()).isEmpty();
    assertThat(breaker.letsThrough(OTHER)).isTrue();
  }

  @Test
  void whatFailsWhileOthersAreAnsweredFailsAlone() {
    breaker.answered();

    assertThat(fail(EVENT)).isPositive();
    assertThat(breaker.isOpen()).isFalse();
    assertThat(breaker.letsThrough(OTHER)).isTrue();
    pass(Duration.ofNanos(BreakerTimes.RECENT_NANOS));
    fail(EVENT);
    assertThat(breaker.isOpen()).isTrue();
  }

  @Test
  void whereNothingMayPassAnEventItOpensAtOnce() {
    breaker.answered();
    breaker.failed(EVENT, false, DOWN);

    assertThat(breaker.isOpen()).isTrue();
  }

  @Test
  void anotherEventThanTheOneThatFailedIsPreferredForATrial() {
    fail(EVENT);
    pass(breaker.pause());

    assertThat(breaker.letsThrough(EVENT)).isFalse();
    assertThat(breaker.letsThrough(OTHER)).isTrue();
    breaker.notCalled(OTHER);
    pass(Duration.ofSeconds(1));
    assertThat(breaker.letsThrough(EVENT)).isTrue();
  }

  @Test
  void aSilentListenerIsTriedOnlyWhenThereIsAPlaceAndClosesWithAnAnswer() throws Exception {
    limit.acquire(1, 1);
    breaker.silent(EVENT);
    pass(Duration.ofMinutes(1));

    assertThat(breaker.letsThrough(OTHER)).isFalse();
    assertThat(breaker.heldBackRoutes()).isNotEmpty();
    limit.release(1);
    breaker.answered();
    assertThat(breaker.letsThrough(OTHER)).isTrue();
  }

  @Test
  void theRoutesOfItsEventsAreLearned() {
    EventEnvelope other = EventEnvelope.ofJson("Other", "1");
    fail(EVENT);
    breaker.letsThrough(other);

    assertThat(breaker.heldBackRoutes())
        .containsExactlyInAnyOrder(EventRoute.of(EVENT), EventRoute.of(other));
  }
}
