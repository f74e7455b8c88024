package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.breaker.ListenerBreakers;
import io.outbox.internal.policy.ListenerTerms;
import io.outbox.internal.queue.Delivery;
import io.outbox.spi.Outcome;

/**
 * Calls listeners and leaves what came of it: beside others, or alone if an earlier call of the
 * event may have ended the process. Thread-safe.
 */
public final class ListenerCalls<D extends Delivery> {

  /** What came of a call so far. */
  enum State {
    /** Its outcome is left, or will be. */
    TAKEN,
    /** The event was not ours any more, or it was not the time for it. */
    NOT_STARTED,
    /** The listener answers none of its calls. */
    NO_PLACE,
    /** Nothing came of it, and the event may not be passed. */
    TO_BE_REPEATED
  }

  private final WorkQueue<D> queue;
  private final boolean mayBePassed;
  private final SafeTracker tracker;
  private final CallOutcomes<D> outcomes;
  private final AsyncCalls asyncCalls;
  private final SoloStart solo;
  private final SuspectStarts<D> suspects;
  private final ListenerTimeouts timeouts; // null: listeners take as long as they like

  /**
   * @param timeouts null for none
   */
  public ListenerCalls(
      WorkQueue<D> queue,
      SafeTracker tracker,
      CallOutcomes<D> outcomes,
      AsyncCalls asyncCalls,
      SoloStart solo,
      SuspectStarts<D> suspects,
      ListenerTimeouts timeouts) {
    this.queue = queue;
    this.mayBePassed = queue.mayBePassed();
    this.tracker = tracker;
    this.outcomes = outcomes;
    this.asyncCalls = asyncCalls;
    this.solo = solo;
    this.suspects = suspects;
    this.timeouts = timeouts;
  }

  /** Calls the listener on this thread; returns early if it answers later. */
  State call(
      D delivery,
      EventListener listener,
      ListenerTerms<D> terms,
      ListenerBreakers breakers,
      Interception interception)
      throws InterruptedException {
    ListenerCall<D> call =
        new ListenerCall<>(
            delivery,
            listener instanceof AsyncListener,
            breakers,
            interception,
            terms,
            delivery.isSuspect() ? this::endedAlone : this::endedBesideOthers);
    if (call.async && !enterAsync(call)) {
      return State.NO_PLACE;
    }
    if (!enter(call)) {
      return State.NOT_STARTED;
    }
    queue.started(delivery);
    call.run(listener, timeouts);
    queue.returned(delivery);
    if (delivery.isSuspect()) {
      awaitSettled(call);
      return State.TAKEN;
    }
    if (!mayBePassed) {
      awaitEnd(call);
    }
    return call.isToBeRepeated() ? State.TO_BE_REPEATED : State.TAKEN;
  }

  /** Waits for its turn; false if the listener answers none of its calls. */
  private boolean enterAsync(ListenerCall<D> call) throws InterruptedException {
    try {
      return asyncCalls.enter(call);
    } catch (InterruptedException e) {
      call.breakers.notCalled(call.delivery.envelope());
      throw e;
    }
  }

  /** Waits for its turn; then whether the event is still ours. The call is next. */
  private boolean enter(ListenerCall<D> call) throws InterruptedException {
    D delivery = call.delivery;
    boolean entered = false;
    try {
      entered =
          delivery.isSuspect()
              ? queue.mayStart(delivery) && suspects.tryStart(delivery)
              : startBesideOthers(delivery);
    } finally {
      if (!entered) {
        asyncCalls.leave(call);
        call.breakers.notCalled(delivery.envelope());
      }
    }
    return entered;
  }

  private boolean startBesideOthers(D delivery) throws InterruptedException {
    solo.enter();
    boolean started = false;
    try {
      started = queue.mayStart(delivery); // only now: waiting may take longer than its lease
    } finally {
      if (!started) {
        solo.leave();
      }
    }
    return started;
  }

  private void awaitSettled(ListenerCall<D> call) {
    if (awaitEnd(call)) {
      suspects.settled(call.delivery);
    }
  }

  /** False if the call was abandoned, or the outbox ends: then nobody waits for it. */
  private boolean awaitEnd(ListenerCall<D> call) {
    while (!call.wasAbandoned()) {
      try {
        call.awaitEnd();
        return !call.wasAbandoned();
      } catch (InterruptedException e) {
        if (outcomes.isForced()) {
          return false;
        }
      }
    }
    return false;
  }

  private void endedBesideOthers(ListenerCall<D> call, DispatchResult result, Throwable failure) {
    D delivery = call.delivery;
    solo.leave();
    boolean left = false;
    try {
      Outcome outcome = outcomes.of(call, result, failure, mayBePassed);
      if (!call.isToBeRepeated()) {
        tracker.release(delivery.eventId());
        if (outcome == null) {
          queue.putBack(delivery);
        } else {
          queue.finished(delivery, outcome, !call.async && !call.wasAbandoned());
        }
      }
      left = true;
    } finally {
      end(call, left);
    }
  }

  private void endedAlone(ListenerCall<D> call, DispatchResult result, Throwable failure) {
    D delivery = call.delivery;
    boolean left = false;
    try {
      Outcome outcome = outcomes.of(call, result, failure, mayBePassed);
      tracker.release(delivery.eventId());
      // Cut short by ourselves, it came back: it does not end the process.
      queue.finished(delivery, outcome == null ? outcomes.ofNoStart(delivery) : outcome, false);
      left = true;
    } finally {
      try {
        end(call, left);
      } finally {
        if (call.wasAbandoned()) {
          suspects.ended(delivery);
        }
      }
    }
  }

  /**
   * Something failed beyond the listener, unless it was {@code left}. A worker would see to it; on
   * other threads nobody does.
   */
  private void end(ListenerCall<D> call, boolean left) {
    try {
      if (!left && call.endedElsewhere()) {
        tracker.release(call.delivery.eventId());
        leave(call.delivery);
      }
    } finally {
      asyncCalls.leave(call); // only now: closing waits for what is in flight
      call.delivery.left();
    }
  }

  /** It was not called, or nothing is known of the call. */
  void leave(D delivery) {
    if (delivery.mayBeStarted()) {
      queue.finished(delivery, outcomes.ofNoStart(delivery), true);
    } else {
      queue.putBack(delivery);
    }
  }
}
