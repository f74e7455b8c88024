package io.outbox.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.fakes.Events;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class HeldEventsTest {

  private static final EventEnvelope EVENT = Events.event("e");
  private static final Lease BORN = new Lease("me", Events.CREATED, Lease.BORN);
  private static final Lease CLAIMED = new Lease("me", Events.CREATED.plusSeconds(60), 2);
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final List<HeldEvents.Ticket> expired = new ArrayList<>();
  private final HeldEvents held = new HeldEvents();

  private static Delivery committed(EventEnvelope event) {
    return Delivery.ofCommitted(event, null);
  }

  private static Delivery polled(String id) {
    return Delivery.ofRow(Events.row(id), Events.event(id));
  }

  // ---- tickets

  @Test
  void aTicketIsEndedOnce() {
    held.openTicket(EVENT, BORN);

    HeldEvents.Ticket ticket = held.endTicket(EVENT);
    assertThat(ticket.lease()).isEqualTo(BORN);
    assertThat(ticket.envelope()).isSameAs(EVENT);
    assertThat(held.endTicket(EVENT)).isNull();
  }

  @Test
  void anEventWithoutATicketHasNoneToEnd() {
    assertThat(held.endTicket(EVENT)).isNull();
  }

  @Test
  void R3_anIdThatTwoTransactionsWriteHasOneTicket() {
    EventEnvelope other = Events.event("e");
    assertThat(held.openTicket(EVENT, BORN)).isTrue();
    assertThat(held.openTicket(other, BORN)).isFalse();

    assertThat(held.endTicket(other)).as("the other's rollback ends only its own").isNull();
    assertThat(held.endTicket(EVENT)).isNotNull();
  }

  @Test
  void R3_aRowThatIsThereProvesThatTheOtherTransactionIsOver() {
    EventEnvelope other = Events.event("e");
    held.openTicket(other, null);
    held.replaceTicket(EVENT);

    assertThat(held.endTicket(other)).isNull();
    assertThat(held.endTicket(EVENT)).isNotNull();
  }

  @Test
  void R2_afterARollbackNothingIsLeftOfATicket() {
    held.openTicket(EVENT, BORN);
    held.forget(held.endTicket(EVENT));

    assertThat(held.openTicket(Events.event("e"), BORN)).isTrue();
  }

  @Test
  void aTicketWhoseCallbackNeverComesIsGivenBackAfterAWhile() {
    HeldEvents impatient = new HeldEvents(expired::add, 0, 10_000);
    impatient.openTicket(EVENT, BORN);
    impatient.openTicket(Events.event("another"), BORN);

    assertThat(expired).extracting(HeldEvents.Ticket::envelope).containsExactly(EVENT);
    assertThat(impatient.endTicket(EVENT)).as("so that its place is not given back twice").isNull();
  }

  @Test
  void aTicketThatIsBeingEndedDoesNotExpire() {
    HeldEvents impatient = new HeldEvents(expired::add, 0, 10_000);
    impatient.openTicket(EVENT, BORN);
    HeldEvents.Ticket ticket = impatient.endTicket(EVENT);
    impatient.openTicket(Events.event("another"), BORN);

    assertThat(expired).isEmpty();
    assertThat(impatient.holdCommitted(ticket, committed(EVENT))).isTrue();
  }

  // ---- the commit callback and a poll, one after the other

  @Test
  void R3_theCommitCallbackIsFirst() {
    held.openTicket(EVENT, null);
    assertThat(held.holdCommitted(held.endTicket(EVENT), committed(EVENT))).isTrue();

    held.pollStarted();
    assertThat(held.holdPolled(polled("e"))).isFalse();
  }

  @Test
  void R3_aPollIsFirst() {
    held.openTicket(EVENT, null);
    held.pollStarted();
    assertThat(held.holdPolled(polled("e"))).isTrue();

    assertThat(held.holdCommitted(held.endTicket(EVENT), committed(EVENT))).isFalse();
  }

  @Test
  void R3_aPollIsFirstAndItsDeliveryHasEndedWhenTheCommitCallbackComes() {
    held.openTicket(EVENT, null);
    Delivery first = polled("e");
    held.pollStarted();
    held.holdPolled(first);
    held.pollFinished();
    held.release(first);

    assertThat(held.holdCommitted(held.endTicket(EVENT), committed(EVENT))).isFalse();
    assertThat(held.size()).isZero();
  }

  @Test
  void R3_aPollThatComesInTheMiddleOfTheCommitCallbackLeavesTheEventToIt() {
    held.openTicket(EVENT, null);
    HeldEvents.Ticket ticket = held.endTicket(EVENT);
    held.pollStarted();
    Delivery byPoll = polled("e");
    boolean pollHasIt = held.holdPolled(byPoll);
    if (pollHasIt) {
      held.release(byPoll);
    }

    assertThat(held.holdCommitted(ticket, committed(EVENT))).isEqualTo(!pollHasIt);
  }

  @Test
  void R1_aPollTakesWhatAnEarlierPollHadNoRoomFor() {
    held.openTicket(EVENT, null); // whose callback is late, or never comes
    Delivery refused = polled("e");
    held.pollStarted();
    held.holdPolled(refused);
    held.release(refused);
    held.pollFinished();

    held.pollStarted();
    assertThat(held.holdPolled(polled("e"))).isTrue();
  }

  @Test
  void R1_aPollTakesWhatTheCommitCallbackHadNoRoomFor() {
    held.openTicket(EVENT, null);
    Delivery dropped = committed(EVENT);
    held.holdCommitted(held.endTicket(EVENT), dropped);
    held.release(dropped);

    held.pollStarted();
    assertThat(held.holdPolled(polled("e"))).isTrue();
  }

  @Test
  void anEventIsHeldOnce() {
    Delivery first = committed(EVENT);
    assertThat(held.hold(first)).isTrue();
    assertThat(held.hold(committed(EVENT))).isFalse();
    assertThat(held.holdPolled(polled("e"))).isFalse();
    assertThat(held.all()).containsExactly(first);

    held.release(first);
    assertThat(held.hold(committed(EVENT))).isTrue();
  }

  @Test
  void onlyWhoHoldsAnEventLetsGoOfIt() {
    Delivery first = committed(EVENT);
    held.hold(first);
    held.release(committed(EVENT));

    assertThat(held.all()).containsExactly(first);
  }

  // ---- what ended while a poll was reading

  @Test
  void R3_aRowThatEndedWhileThePollWasReadingIsRefused() {
    Delivery first = committed(EVENT);
    held.hold(first);
    held.pollStarted();
    held.release(first);

    assertThat(held.holdPolled(polled("e"))).isFalse();
    assertThat(held.size()).isZero();
    assertThat(held.pollFinished()).isTrue();
  }

  @Test
  void R1_aRowThatEndedBeforeThePollIsTaken() {
    Delivery first = committed(EVENT);
    held.hold(first);
    held.release(first);
    held.pollStarted();

    assertThat(held.holdPolled(polled("e"))).isTrue();
  }

  @Test
  void R1_whatEndedDuringAPollIsForgottenWithTheNext() {
    Delivery first = committed(EVENT);
    held.hold(first);
    held.pollStarted();
    held.release(first);
    held.pollFinished();
    held.pollStarted();

    assertThat(held.holdPolled(polled("e"))).isTrue();
  }

  @Test
  void R13_whenTooMuchEndedDuringAPollAllItsRowsAreRefusedAndItIsNotTrusted() {
    HeldEvents small = new HeldEvents(expired::add, LONG_NANOS, 3);
    List<Delivery> deliveries = new ArrayList<>();
    Events.events("e", 4).map(HeldEventsTest::committed).forEach(deliveries::add);
    deliveries.forEach(small::hold);
    small.pollStarted();
    deliveries.forEach(small::release);

    assertThat(small.holdPolled(polled("e3"))).as("not remembered, but refused").isFalse();
    assertThat(small.holdPolled(polled("new"))).isFalse();
    assertThat(small.pollFinished()).isFalse();
    small.pollStarted();
    assertThat(small.holdPolled(polled("new"))).isTrue();
    assertThat(small.pollFinished()).isTrue();
  }

  // ---- leases

  @Test
  void R5_aQueuedEventGoesOnUnderTheLeaseItWasClaimedWithAgain() {
    Delivery queued = Delivery.ofCommitted(EVENT, BORN);
    held.hold(queued);

    assertThat(held.adopt(Events.row("e", CLAIMED))).isTrue();
    assertThat(queued.ref()).isEqualTo(EventRef.leased("e", CLAIMED));
    assertThat(queued.lockedAt()).isEqualTo(CLAIMED.lockedAt());
  }

  @Test
  void R5_anEventWhoseListenerRunsKeepsItsLease() {
    Delivery running = Delivery.ofCommitted(EVENT, BORN);
    held.hold(running);
    running.start();

    assertThat(held.adopt(Events.row("e", CLAIMED))).isFalse();
    assertThat(running.ref()).isEqualTo(EventRef.leased("e", BORN));
  }

  @Test
  void R3_anEventThatABatchBringsTwiceKeepsItsLeaseThoughItsListenerRuns() {
    Delivery running = Delivery.ofRow(Events.row("e", CLAIMED), EVENT);
    held.hold(running);
    running.start();

    // Not adopted means given back, and another node would deliver it, too.
    assertThat(held.adopt(Events.row("e", CLAIMED))).isTrue();
    assertThat(running.ref()).isEqualTo(EventRef.leased("e", CLAIMED));
  }

  @Test
  void anUnknownEventAdoptsNothing() {
    assertThat(held.adopt(Events.row("e", CLAIMED))).isFalse();
  }

  @Test
  void aRowWithoutALeaseHasNothingToAdopt() {
    Delivery queued = Delivery.ofCommitted(EVENT, BORN);
    held.hold(queued);

    assertThat(held.adopt(Events.row("e"))).isFalse();
    assertThat(queued.ref()).isEqualTo(EventRef.leased("e", BORN));
  }

  // ---- progress

  @Test
  void progressThatHappenedBeforeTheWaitEndsItAtOnce() throws InterruptedException {
    held.hold(committed(EVENT));
    long seen = held.progress();
    held.signalProgress();

    assertThat(held.awaitProgress(seen, LONG_NANOS)).isTrue();
  }

  @Test
  void progressDuringTheWaitEndsIt() {
    held.hold(committed(EVENT));
    long seen = held.progress();
    CompletableFuture<Boolean> waiting = CompletableFuture.supplyAsync(() -> awaitProgress(seen));
    held.signalProgress();

    await().until(waiting::isDone);
    assertThat(waiting.join()).isTrue();
  }

  @Test
  void withNothingHeldThereIsNothingToWaitFor() throws InterruptedException {
    assertThat(held.awaitProgress(held.progress(), LONG_NANOS)).isTrue();
  }

  @Test
  void withoutProgressTheWaitIsBounded() throws InterruptedException {
    held.hold(committed(EVENT));

    assertThat(held.awaitProgress(held.progress(), 1_000)).isFalse();
  }

  @Test
  void R7_aWaitForOneEventEndsWhenItIsLetGoOf() {
    Delivery delivery = committed(EVENT);
    held.hold(delivery);
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(
            () -> {
              try {
                held.awaitRelease(delivery, LONG_NANOS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    held.signalProgress();
    assertThat(waiting).isNotDone();
    held.release(delivery);
    held.signalProgress();

    await().until(waiting::isDone);
  }

  @Test
  void R7_aWaitForOneEventIsBounded() throws InterruptedException {
    Delivery delivery = committed(EVENT);
    held.hold(delivery);
    held.awaitRelease(delivery, 1_000);

    assertThat(held.all()).containsExactly(delivery);
  }

  private boolean awaitProgress(long seen) {
    try {
      return held.awaitProgress(seen, LONG_NANOS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
