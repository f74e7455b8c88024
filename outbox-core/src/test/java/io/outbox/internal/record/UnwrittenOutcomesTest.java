package io.outbox.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.fakes.Events;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without threads: two takers, by turns. */
@Timeout(60)
class UnwrittenOutcomesTest {

  private static final int MANY = 500;
  private static final int MAX = 4 * MANY;

  private final UnwrittenOutcomes<Delivery> unwritten = UnwrittenOutcomes.bounded(MAX, 1L << 30);
  private int added;

  private void addMany() {
    for (int i = 0; i < MANY; i++) {
      Delivery delivery = Delivery.ofCommitted(Events.event("e" + added++), null);
      unwritten.addAtOnce(
          new UnwrittenOutcome<>(
              delivery, new Outcome(delivery.ref(), EventStatus.DONE, 0, Events.CREATED, null)));
    }
  }

  private List<UnwrittenOutcome<Delivery>> takeBesideAnother() throws InterruptedException {
    addMany();
    List<UnwrittenOutcome<Delivery>> first = unwritten.take();
    addMany();
    List<UnwrittenOutcome<Delivery>> beside = unwritten.takeBeside();
    settle(first);
    return beside;
  }

  private void settle(List<UnwrittenOutcome<Delivery>> batch) {
    batch.forEach(outcome -> outcome.settled = true);
    unwritten.taken(batch);
  }

  /** The other taker may have it before the one that put it back is through with its batch. */
  @Test
  void R9_whatWasPutBackBelongsToWhoeverTakesItThen() throws InterruptedException {
    List<UnwrittenOutcome<Delivery>> beside = takeBesideAnother();
    UnwrittenOutcome<Delivery> locked = beside.get(0);
    unwritten.putBack(List.of(locked), 0);
    List<UnwrittenOutcome<Delivery>> again = unwritten.take();
    beside.forEach(outcome -> outcome.settled = outcome != locked);

    unwritten.taken(beside);
    assertThat(again).containsExactly(locked);
    settle(again);

    assertThat(unwritten.size()).as("it does not come again").isZero();
  }

  @Test
  void R13_theBytesOfAnOutcomeLeaveOnce() throws InterruptedException {
    List<UnwrittenOutcome<Delivery>> beside = takeBesideAnother();
    UnwrittenOutcome<Delivery> locked = beside.get(0);
    unwritten.putBack(List.of(locked), 0);
    settle(unwritten.take());

    settle(beside); // it is settled by now, by the other one

    assertThat(unwritten.bytes()).isZero();
  }
}
