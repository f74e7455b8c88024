package io.outbox.internal.hot;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.internal.BatchHook.Rows;
import io.outbox.internal.Conditions;
import io.outbox.internal.lease.Leases;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventRef;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Without a database: who tells whom, and when. */
class AheadOfRowsTest {

  private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

  private final EventEnvelope event = EventEnvelope.ofJson("Tested", "{}");
  private final EventEnvelope other = EventEnvelope.ofJson("Tested", "{}");
  private final DeliveryQueues queues = new DeliveryQueues(10, 10, 1 << 20);
  private final HeldEvents held = new HeldEvents();
  private final List<String> told = new ArrayList<>();
  private final AtomicInteger ended = new AtomicInteger();
  private boolean unwanted;
  private final AheadOfRows ahead = ahead();

  private AheadOfRows ahead() {
    EngineClock clock = new EngineClock(Clock.systemUTC());
    StoreSession session =
        new StoreSession(
            () -> {
              throw new AssertionError("nobody needs a database");
            },
            new FakeStore(new FakeDatabase()));
    Leases leases =
        new Leases(session, new CallWatch(new Conditions(clock::now)), clock, held, () -> {});
    Delivery original = Delivery.ofCommitted(EventEnvelope.ofJson("Tested", "{}"), null);
    return new AheadOfRows(original, queues, held, leases, new Halts(), new Ends());
  }

  private final class Halts implements HotPath.Halts {
    @Override
    public boolean isUnwanted(EventEnvelope any) {
      return unwanted;
    }

    @Override
    public HotPath.HotOffer whyLeft(EventEnvelope any) {
      return HotPath.HotOffer.DROPPED;
    }
  }

  private final class Ends implements HotPath.Ends {
    @Override
    public boolean mayBePassed() {
      return true;
    }

    @Override
    public void queued() {}

    @Override
    public void left() {
      told.add("left");
    }

    @Override
    public void databaseAnswered() {}

    @Override
    public void settled(Delivery delivery, Outcome outcome) {
      told.add("settled");
      held.release(delivery);
    }

    @Override
    public void finished(Delivery delivery, Outcome outcome) {
      told.add("finished " + outcome.status());
    }

    @Override
    public void giveBack(EventRef ref) {
      assertThat(held.contains(ref.eventId())).as("nobody else has it under this lease").isTrue();
      told.add("given back");
    }
  }

  private Delivery offer(EventEnvelope offered) throws InterruptedException {
    assertThat(ahead.offer(offered)).isTrue();
    return queues.take();
  }

  private static Outcome done(Delivery delivery) {
    return Outcome.done(delivery.ref(), 0, T0);
  }

  private static Outcome retry(Delivery delivery) {
    return Outcome.retry(delivery.ref(), 1, T0, "failed");
  }

  @Test
  void oneThatHasEndedIsWrittenAsFinishedAndSettledAfterTheCommit() throws InterruptedException {
    Delivery delivery = offer(event);
    ahead.whenEnded(ended::incrementAndGet);
    assertThat(ended).hasValue(0);

    assertThat(delivery.endsUnwritten(done(delivery))).isTrue();

    assertThat(ended).hasValue(1);
    Rows rows = ahead.rows(Set.of(), false);
    assertThat(rows.finished()).containsExactly(event);
    assertThat(rows.doneAt()).isEqualTo(T0);
    assertThat(rows.pending()).isEmpty();
    assertThat(told).isEmpty();
    assertThat(held.contains(event.eventId())).isTrue();
    ahead.written();
    assertThat(told).containsExactly("settled");
    assertThat(held.contains(event.eventId())).isFalse();
  }

  @Test
  void whatIsDeletedWhenItIsDoneNeedsNoRow() throws InterruptedException {
    Delivery delivery = offer(event);
    delivery.endsUnwritten(Outcome.deleted(delivery.ref(), 0, T0));

    Rows rows = ahead.rows(Set.of(), false);

    assertThat(rows.finished()).isEmpty();
    assertThat(rows.pending()).isEmpty();
    ahead.written();
    assertThat(told).containsExactly("settled");
  }

  @Test
  void aFailureIsWrittenAfterTheRow() throws InterruptedException {
    Delivery delivery = offer(event);
    delivery.endsUnwritten(retry(delivery));

    Rows rows = ahead.rows(Set.of(), false);

    assertThat(rows.pending()).extracting(NewEvent::envelope).containsExactly(event);
    ahead.written();
    assertThat(told).containsExactly("finished RETRY");
  }

  @Test
  void R1_oneThatEndsBetweenItsRowAndTheCommitIsFinishedAfterTheCommit()
      throws InterruptedException {
    Delivery delivery = offer(event);
    Rows rows = ahead.rows(Set.of(), false);
    assertThat(rows.pending()).hasSize(1);

    assertThat(delivery.endsUnwritten(done(delivery))).isTrue();

    assertThat(told).isEmpty();
    ahead.written();
    assertThat(told).containsExactly("finished DONE");
  }

  @Test
  void onceTheRowIsThereTheDatabaseIsTold() throws InterruptedException {
    Delivery delivery = offer(event);
    ahead.rows(Set.of(), false);
    ahead.written();

    assertThat(delivery.endsUnwritten(done(delivery))).isFalse();
  }

  @Test
  void oneThatIsLetGoGetsAFreeRow() throws InterruptedException {
    Delivery delivery = offer(event);
    delivery.endsUnwritten(null);

    Rows rows = ahead.rows(Set.of(), false);

    assertThat(rows.pending()).containsExactly(NewEvent.unleased(event));
    ahead.written();
    assertThat(told).containsExactly("left");
  }

  @Test
  void R1_oneThatIsLetGoBeforeTheCommitGivesItsLeaseBack() throws InterruptedException {
    Delivery delivery = offer(event);
    ahead.rows(Set.of(), false);
    delivery.endsUnwritten(null);
    ahead.written();
    assertThat(told).containsExactly("given back");
  }

  /** An earlier try was committed without an answer: the row may be pending there. */
  @Test
  void R3_theOutcomeOfARowThatIsThereAlreadyGoesToTheDatabase() throws InterruptedException {
    Delivery delivery = offer(event);
    ahead.rows(Set.of(), false);
    delivery.endsUnwritten(done(delivery));

    Rows again = ahead.rows(Set.of(event.eventId()), true);

    assertThat(again.finished()).isEmpty();
    assertThat(again.pending()).isEmpty();
    ahead.written();
    assertThat(told).containsExactly("finished DONE");
  }

  /** The commit of the first try came through after the second one had looked. */
  @Test
  void R3_aRowThatWasPendingInATryWithoutAnAnswerIsJudgedByTheDatabase()
      throws InterruptedException {
    Delivery delivery = offer(event);
    ahead.rows(Set.of(), false);
    delivery.endsUnwritten(done(delivery));
    assertThat(ahead.rows(Set.of(), true).finished()).containsExactly(event);

    ahead.rows(Set.of(event.eventId()), true);

    ahead.written();
    assertThat(told).containsExactly("finished DONE");
  }

  @Test
  void R9_aFinishedRowWhoseCommitGotNoAnswerIsCounted() throws InterruptedException {
    Delivery delivery = offer(event);
    delivery.endsUnwritten(done(delivery));
    ahead.rows(Set.of(), false);

    Rows again = ahead.rows(Set.of(event.eventId()), true);

    assertThat(again.finished()).isEmpty();
    ahead.written();
    assertThat(told).containsExactly("settled");
  }

  @Test
  void R3_aFinishedRowThatSomebodyElseHasWrittenIsJudgedByTheDatabase()
      throws InterruptedException {
    Delivery delivery = offer(event);
    delivery.endsUnwritten(done(delivery));
    ahead.rows(Set.of(), false);

    ahead.rows(Set.of(event.eventId()), false);

    ahead.written();
    assertThat(told).containsExactly("finished DONE");
  }

  @Test
  void theLastOneThatEndsIsTheEndOfAll() throws InterruptedException {
    Delivery first = offer(event);
    Delivery second = offer(other);
    ahead.whenEnded(ended::incrementAndGet);

    first.endsUnwritten(done(first));
    assertThat(ended).hasValue(0);
    second.endsUnwritten(null);
    assertThat(ended).hasValue(1);
  }

  @Test
  void withoutAnyTheEndIsThereAtOnce() {
    unwanted = true;
    assertThat(ahead.offer(event)).isFalse();
    ahead.whenEnded(ended::incrementAndGet);
    assertThat(ended).hasValue(1);
    assertThat(held.size()).isZero();
  }

  @Test
  void oneThatIsRefusedIsNotDeliveredAnyMore() {
    assertThat(ahead.offer(event)).isTrue();
    ahead.refused(event);
    assertThat(held.size()).isZero();
  }

  @Test
  void oneThatIsRefusedWhileItsListenerRunsIsForgottenAtItsEnd() throws InterruptedException {
    Delivery delivery = offer(event);
    assertThat(delivery.start()).isTrue();
    ahead.refused(event);
    assertThat(held.contains(event.eventId())).isTrue();

    assertThat(delivery.endsUnwritten(done(delivery))).isTrue();

    assertThat(held.size()).isZero();
    // Another expansion may have written its row, leased to this delivery.
    assertThat(told).containsExactly("given back");
  }

  @Test
  void R13_whatHasNoPlaceInTheQueueIsWrittenFirst() {
    for (int i = 0; i < 10; i++) {
      assertThat(ahead.offer(EventEnvelope.ofJson("Tested", "{}"))).isTrue();
    }
    assertThat(ahead.offer(event)).isFalse();
    assertThat(held.size()).isEqualTo(10);
  }
}
