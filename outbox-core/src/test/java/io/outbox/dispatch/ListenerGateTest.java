package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.fakes.Events;
import io.outbox.model.EventRoute;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ListenerGateTest {

  private static final EventEnvelope EVENT = Events.event("e");
  private static final OutageException DOWN = new OutageException("down");

  private final AtomicLong now = new AtomicLong();
  private final List<Boolean> changes = new ArrayList<>();
  private final ListenerGate gate =
      new ListenerGate(
          now::get, new InFlightLimit(1, 1), changed -> changes.add(changed.isClosed()));

  private void pass(Duration time) {
    now.addAndGet(time.toNanos());
  }

  @Test
  void itIsOpenUntilItsDestinationIsDown() {
    assertThat(gate.letsThrough(EVENT)).isTrue();
    gate.failed(EVENT, DOWN);

    assertThat(gate.letsThrough(EVENT)).isFalse();
    assertThat(gate.closedRoutes()).containsExactly(EventRoute.of(EVENT));
    assertThat(changes).containsExactly(true);
  }

  @Test
  void afterAPauseOneTrialIsLetThrough() {
    gate.failed(EVENT, DOWN);
    pass(gate.pause());

    assertThat(gate.closedRoutes()).isEmpty();
    assertThat(gate.letsThrough(EVENT)).isTrue();
    assertThat(gate.letsThrough(EVENT)).isFalse();
    assertThat(gate.closedRoutes()).containsExactly(EventRoute.of(EVENT));
    assertThat(gate.pause()).isPositive();
  }

  @Test
  void aTrialThatIsAnsweredOpensIt() {
    gate.failed(EVENT, DOWN);
    pass(gate.pause());
    gate.letsThrough(EVENT);
    gate.answered();

    assertThat(gate.letsThrough(EVENT)).isTrue();
    assertThat(gate.letsThrough(EVENT)).isTrue();
    assertThat(gate.closedRoutes()).isEmpty();
    assertThat(changes).containsExactly(true, false);
  }

  @Test
  void aTrialThatDidNotComeToTheListenerIsFollowedByAnother() {
    gate.failed(EVENT, DOWN);
    pass(gate.pause());
    gate.letsThrough(EVENT);
    gate.notCalled();

    assertThat(gate.letsThrough(EVENT)).isTrue();
  }

  @Test
  void pausesGrowUpToABound() {
    gate.failed(EVENT, DOWN);
    Duration first = gate.pause();
    Duration last = first;
    for (int i = 0; i < 100; i++) {
      pass(gate.pause());
      assertThat(gate.letsThrough(EVENT)).isTrue();
      gate.failed(EVENT, DOWN);
      last = gate.pause();
    }

    assertThat(first.toNanos())
        .isBetween(ListenerGate.FIRST_PAUSE_NANOS / 2, ListenerGate.FIRST_PAUSE_NANOS);
    assertThat(last.toNanos())
        .isBetween(ListenerGate.LONGEST_PAUSE_NANOS / 2, ListenerGate.LONGEST_PAUSE_NANOS);
  }

  @Test
  void whatWasInFlightWhenItClosedDoesNotKeepItClosed() {
    gate.failed(EVENT, DOWN);
    Duration pause = gate.pause();
    pass(Duration.ofNanos(TimeUnit.MILLISECONDS.toNanos(1)));
    gate.failed(EVENT, DOWN);

    assertThat(gate.pause()).isLessThan(pause);
    assertThat(changes).containsExactly(true);
  }

  @Test
  void theRoutesOfItsEventsAreLearned() {
    EventEnvelope other = EventEnvelope.ofJson("Other", "1");
    gate.failed(EVENT, DOWN);
    gate.letsThrough(other);

    assertThat(gate.closedRoutes())
        .containsExactlyInAnyOrder(EventRoute.of(EVENT), EventRoute.of(other));
  }
}
