package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.fakes.Events;
import io.outbox.model.EventRoute;
import io.outbox.model.MemberDetail.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ListenerGateTest {

  private static final EventEnvelope EVENT = Events.event("e");
  private static final EventEnvelope OTHER = Events.event("other");
  private static final OutageException DOWN = new OutageException("down");

  private final AtomicLong now = new AtomicLong();
  private final List<Boolean> changes = new ArrayList<>();
  private final InFlightLimit limit = new InFlightLimit(1, 1);
  private final ListenerGate gate =
      new ListenerGate(now::get, limit, changed -> changes.add(changed.isClosed()));

  private Duration fail(EventEnvelope event) {
    return gate.failed(event, true, DOWN);
  }

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void itIsOpenUntilItsDestinationIsDown() {
    assertThat(gate.letsThrough(EVENT)).isTrue();
    fail(EVENT);

    assertThat(gate.letsThrough(EVENT)).isFalse();
    assertThat(gate.closedRoutes()).containsExactly(EventRoute.of(EVENT));
    assertThat(changes).containsExactly(true);
  }

  @Test
  void R24_itSaysSinceWhenItIsDownThroughTrialsThatFail() {
    Instant start = Instant.parse("2026-01-01T00:00:00Z");
    assertThat(gate.outage("listener", start)).isNull();
    fail(EVENT);
    Duration pause = gate.pause();
    pass(pause);
    gate.letsThrough(OTHER);
    assertThat(gate.outage("listener", start.plus(pause)).state()).isEqualTo(Outage.HALF_OPEN);
    fail(OTHER);

    Outage outage = gate.outage("listener", start.plus(pause));
    assertThat(outage.state()).isEqualTo(Outage.OPEN);
    assertThat(outage.since()).isEqualTo(start);
    assertThat(outage.reason()).isEqualTo("down");
    assertThat(outage.nextTrial()).isEqualTo(start.plus(pause).plus(gate.pause()));
  }

  @Test
  void afterAPauseOneTrialIsLetThrough() {
    fail(EVENT);
    pass(gate.pause());

    assertThat(gate.closedRoutes()).isEmpty();
    assertThat(gate.letsThrough(OTHER)).isTrue();
    assertThat(gate.letsThrough(EVENT)).isFalse();
    assertThat(gate.closedRoutes()).containsExactly(EventRoute.of(EVENT));
    assertThat(gate.pause()).isPositive();
  }

  @Test
  void aTrialThatIsAnsweredOpensIt() {
    fail(EVENT);
    pass(gate.pause());
    gate.letsThrough(OTHER);
    gate.answered();

    assertThat(gate.letsThrough(EVENT)).isTrue();
    assertThat(gate.letsThrough(EVENT)).isTrue();
    assertThat(gate.closedRoutes()).isEmpty();
    assertThat(changes).containsExactly(true, false);
  }

  /** What failed alone comes back before the others, and would be one trial after the other. */
  @Test
  void anEventThatHasNotFailedIsPreferredForATrial() {
    gate.answered();
    List<EventEnvelope> bad = IntStream.range(0, 100).mapToObj(n -> Events.event("b" + n)).toList();
    bad.forEach(this::fail);
    assertThat(gate.isClosed()).isFalse();
    pass(Duration.ofSeconds(1));
    fail(bad.get(99));
    pass(gate.pause());

    assertThat(bad).noneMatch(gate::letsThrough);
    assertThat(gate.letsThrough(OTHER)).isTrue();
    gate.notCalled(OTHER);
    pass(Duration.ofSeconds(1));
    assertThat(gate.letsThrough(bad.get(0))).as("if there is no other").isTrue();
  }

  @Test
  void aTrialThatDidNotComeToTheListenerIsFollowedByAnother() {
    fail(EVENT);
    pass(gate.pause());
    gate.letsThrough(OTHER);
    gate.notCalled(OTHER);

    assertThat(gate.letsThrough(OTHER)).isTrue();
  }

  @Test
  void pausesGrowUpToABound() {
    fail(EVENT);
    Duration first = gate.pause();
    Duration last = first;
    for (int i = 0; i < 100; i++) {
      pass(gate.pause());
      EventEnvelope next = Events.event("trial" + i);
      assertThat(gate.letsThrough(next)).isTrue();
      fail(next);
      last = gate.pause();
    }

    assertThat(first.toNanos())
        .isBetween(ListenerGate.FIRST_PAUSE_NANOS / 2, ListenerGate.FIRST_PAUSE_NANOS);
    assertThat(last.toNanos())
        .isBetween(ListenerGate.LONGEST_PAUSE_NANOS / 2, ListenerGate.LONGEST_PAUSE_NANOS);
  }

  @Test
  void whatWasInFlightWhenItClosedDoesNotKeepItClosed() {
    fail(EVENT);
    Duration pause = gate.pause();
    pass(Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(1)));
    fail(EVENT);

    assertThat(gate.pause()).isLessThan(pause);
    assertThat(changes).containsExactly(true);
  }

  @Test
  void aTrialThatIsNeverAnsweredIsFollowedByAnother() {
    fail(EVENT);
    pass(gate.pause());
    assertThat(gate.letsThrough(OTHER)).isTrue();
    pass(Duration.ofNanos(ListenerGate.TRIAL_NANOS));

    assertThat(gate.closedRoutes()).isEmpty();
    assertThat(gate.letsThrough(OTHER)).isTrue();
  }

  @Test
  void whatFailsWhileOthersAreAnsweredFailsAlone() {
    gate.answered();

    assertThat(fail(EVENT)).isPositive();
    assertThat(gate.isClosed()).isFalse();
    assertThat(gate.letsThrough(OTHER)).isTrue();
    pass(Duration.ofNanos(ListenerGate.RECENT_NANOS));
    fail(EVENT);
    assertThat(gate.isClosed()).isTrue();
  }

  @Test
  void whereNothingMayPassAnEventTheGateClosesAtOnce() {
    gate.answered();
    gate.failed(EVENT, false, DOWN);

    assertThat(gate.isClosed()).isTrue();
  }

  @Test
  void anotherEventThanTheOneThatFailedIsPreferredForATrial() {
    fail(EVENT);
    pass(gate.pause());

    assertThat(gate.letsThrough(EVENT)).isFalse();
    assertThat(gate.letsThrough(OTHER)).isTrue();
    gate.notCalled(OTHER);
    pass(Duration.ofSeconds(1));
    assertThat(gate.letsThrough(EVENT)).isTrue();
  }

  @Test
  void aSilentListenerIsTriedOnlyWhenThereIsAPlaceAndOpensWithAnAnswer() throws Exception {
    limit.acquire(1, 1);
    gate.silent(EVENT);
    pass(Duration.ofMinutes(1));

    assertThat(gate.letsThrough(OTHER)).isFalse();
    assertThat(gate.closedRoutes()).isNotEmpty();
    limit.release(1);
    gate.answered();
    assertThat(gate.letsThrough(OTHER)).isTrue();
  }

  @Test
  void theRoutesOfItsEventsAreLearned() {
    EventEnvelope other = EventEnvelope.ofJson("Other", "1");
    fail(EVENT);
    gate.letsThrough(other);

    assertThat(gate.closedRoutes())
        .containsExactlyInAnyOrder(EventRoute.of(EVENT), EventRoute.of(other));
  }
}
