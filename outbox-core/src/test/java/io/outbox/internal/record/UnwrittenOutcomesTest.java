package io.outbox.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.fakes.Events;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two takers, by turns. */
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

  /** Waits for outcomes without a limit. */
  private FutureTask<List<UnwrittenOutcome<Delivery>>> takeWaiting() {
    FutureTask<List<UnwrittenOutcome<Delivery>>> take = new FutureTask<>(unwritten::take);
    Thread taker = new Thread(take, "the other taker");
    taker.start();
    await().until(() -> taker.getState() == Thread.State.WAITING);
    return take;
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

  /** It may be the last one, after which nothing new comes. */
  @Test
  void R9_whatOneTakerPutsBackWakesTheOther() throws Exception {
    List<UnwrittenOutcome<Delivery>> beside = takeBesideAnother();
    FutureTask<List<UnwrittenOutcome<Delivery>>> again = takeWaiting();

    unwritten.putBack(beside, 0);
    unwritten.taken(beside);

    assertThat(again.get(30, TimeUnit.SECONDS)).containsExactlyElementsOf(beside);
  }

  @Test
  void R9_whatOneTakerLeavesWakesTheOther() throws Exception {
    List<UnwrittenOutcome<Delivery>> beside = takeBesideAnother();
    FutureTask<List<UnwrittenOutcome<Delivery>>> again = takeWaiting();

    unwritten.taken(beside);

    assertThat(again.get(30, TimeUnit.SECONDS)).containsExactlyElementsOf(beside);
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
