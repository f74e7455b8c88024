package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.dispatch.InFlightTracker;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.record.OutcomeDecision;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls the listener of an event and sees to its outcome: beside others, or alone if an earlier
 * call of it may have ended the process. Thread-safe.
 */
public final class Deliverer {

  private static final Logger LOG = PrintableLogger.of(Deliverer.class);
  private static final long SUSPECT_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long IN_ORDER_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long an event without a listener waits if there are too many such routes to tell. */
  private static final Duration NO_LISTENER_AGAIN = Duration.ofSeconds(10);

  /** Where deliveries are left. */
  public interface Callbacks {
    /** Whether it is not paused, and its lease, if it has one, lasts long enough for the call. */
    boolean mayBeCalled(Delivery delivery);

    /** Leaves an outcome; {@code mayWait} while there are too many. */
    void finished(Delivery delivery, Outcome outcome, boolean mayWait);

    /** Waits until the outcome of a finished delivery is written or lost, for a bounded time. */
    void awaitSettled(Delivery delivery);

    /** It was not delivered, and is left to a later poll. */
    void putBack(Delivery delivery);

    /** Its listener cannot be called before {@code at}. */
    void notCalled(Delivery delivery, Instant at);

    /** Whether waiting is of no use any more. */
    default boolean isStopping() {
      return false;
    }

    /** Its listener is called now. */
    void started(Delivery delivery);

    /** Its listener has left this thread, whether it has answered or will. */
    default void returned(Delivery delivery) {}

    /** A listener took this long to answer. */
    void answered(long nanos);
  }

  private final Callbacks callbacks;
  private final EngineClock clock;
  private final Listeners listeners;
  private final MissingListeners missing;
  private final InFlightTracker tracker;
  private final CallOutcomes outcomes;
  private final boolean inOrder; // one after the other
  private final SoloStart solo = new SoloStart();
  private final SuspectStarts suspects;
  private final AsyncCalls asyncCalls;
  private final CircuitBreakers circuitBreakers;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.ERROR);
  private ListenerTimeouts timeouts; // null: listeners take as long as they like
  private Runnable cameBack;

  public Deliverer(
      Callbacks callbacks,
      StoreSession session,
      EngineClock clock,
      Listeners listeners,
      MissingListeners missing,
      InFlightTracker tracker,
      OutcomeDecision decision,
      boolean inOrder,
      AsyncCalls asyncCalls,
      CircuitBreakers circuitBreakers) {
    this.callbacks = callbacks;
    this.suspects = new SuspectStarts(session, solo, callbacks::mayBeCalled);
    this.clock = clock;
    this.listeners = listeners;
    this.missing = missing;
    this.tracker = tracker;
    this.outcomes = new CallOutcomes(decision, clock, inOrder);
    this.inOrder = inOrder;
    this.asyncCalls = asyncCalls;
    this.circuitBreakers = circuitBreakers;
  }

  /**
   * To be called before anything is delivered.
   *
   * @param cameBack run on the thread of a listener that returns after all
   */
  void limit(ListenerTimeouts timeouts, Runnable cameBack) {
    this.timeouts = timeouts;
    this.cameBack = cameBack;
  }

  /** Delivers it on this thread; returns early if the listener answers later. */
  void deliver(Delivery delivery) throws InterruptedException {
    boolean taken = false;
    try {
      taken = callbacks.mayBeCalled(delivery) && deliverTracked(delivery);
    } finally {
      if (!taken) {
        leave(delivery);
      }
    }
  }

  /** From now on every failure may be due to our own interrupt. */
  void force() {
    outcomes.force();
  }

  private void leave(Delivery delivery) {
    if (delivery.mayBeStarted()) {
      callbacks.finished(delivery, outcomes.ofNoStart(delivery), true);
    } else {
      callbacks.putBack(delivery);
    }
  }

  private boolean deliverTracked(Delivery delivery) throws InterruptedException {
    while (!tracker.tryAcquire(delivery.eventId())) {
      if (!inOrder) {
        return false;
      }
      // A listener that outlived a stop still has it; what comes next must not pass it.
      warning.log(() -> "event " + delivery.eventId() + " waits: an earlier call of it still runs");
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(IN_ORDER_AGAIN_NANOS);
    }
    boolean taken = false;
    try {
      taken = deliverToListener(delivery);
    } finally {
      if (!taken) {
        releaseTracker(delivery);
      }
    }
    return taken;
  }

  private boolean deliverToListener(Delivery delivery) throws InterruptedException {
    EventListener listener = listeners.find(delivery.envelope());
    if (listener instanceof Listeners.Failing none && none.isMissing()) {
      EventRoute route = EventRoute.of(delivery.envelope());
      if (missing.waits(route, outcomes.tooOldAt(delivery))) {
        return leaveToOthers(delivery, route, none.reason());
      }
      listener = listeners.find(delivery.envelope(), missing.nobodySince(route)); // it may be new
    }
    Outcome end = delivery.isSuspect() ? outcomes.ofTooManyStarts(delivery) : null;
    if (end != null) {
      releaseTracker(delivery);
      callbacks.finished(delivery, end, true);
      return true;
    }
    return deliverTo(listener, delivery);
  }

  /** Another node may have a listener for it, now or soon. */
  private boolean leaveToOthers(Delivery delivery, EventRoute route, Throwable none) {
    Outcome later = outcomes.ofOutage(delivery, none, NO_LISTENER_AGAIN);
    boolean isTooOld = later.status() == EventStatus.DEAD;
    if (!isTooOld && missing.isLeftOut(route)) {
      return false; // it is not read again
    }
    if (!isTooOld && delivery.isSuspect()) {
      LockSupport.parkNanos(SUSPECT_AGAIN_NANOS);
      return false;
    }
    releaseTracker(delivery);
    callbacks.finished(delivery, later, true);
    return true;
  }

  /** Its outcome is on the way: what a tracker throws must not undo that. */
  private void releaseTracker(Delivery delivery) {
    try {
      tracker.release(delivery.eventId());
    } catch (Throwable e) {
      warning.log(() -> "the tracker did not release event " + delivery.eventId(), e);
    }
  }

  private boolean deliverTo(EventListener listener, Delivery delivery) throws InterruptedException {
    ListenerBreakers breakers = circuitBreakers.of(listener);
    if (!mayPass(delivery, breakers)) {
      return defer(delivery, breakers);
    }
    ListenerCall call = newCall(delivery, listener, breakers);
    if (!enterAsync(call)) {
      return deferUnanswered(delivery, breakers);
    }
    if (!enter(call)) {
      return false;
    }
    call(call, listener);
    if (delivery.isSuspect()) {
      awaitSettled(call);
      return true;
    }
    if (inOrder && awaitEnd(call) && call.isToBeRepeated() && mayPass(delivery, breakers)) {
      // Read again before it is called again: during the outage an operator may have ended it.
      breakers.notCalled(delivery.envelope());
    }
    return !call.isToBeRepeated();
  }

  /** Waits for its turn; then whether the event is still ours. The call is next. */
  private boolean enter(ListenerCall call) throws InterruptedException {
    Delivery delivery = call.delivery();
    boolean entered = false;
    try {
      entered = delivery.isSuspect() ? suspects.tryStart(delivery) : startBesideOthers(delivery);
    } finally {
      if (!entered) {
        asyncCalls.leave(call);
        call.breakers().notCalled(delivery.envelope());
      }
    }
    return entered;
  }

  private boolean startBesideOthers(Delivery delivery) throws InterruptedException {
    solo.enter();
    boolean started = false;
    try {
      started = callbacks.mayBeCalled(delivery); // waiting may have taken longer than its lease
    } finally {
      if (!started) {
        solo.leave();
      }
    }
    return started;
  }

  /** Whether the listener can be called; where all events are in order, waits until it can. */
  private boolean mayPass(Delivery delivery, ListenerBreakers breakers)
      throws InterruptedException {
    while (!breakers.letsThrough(delivery.envelope())) {
      if (!inOrder) {
        return false;
      }
      if (Thread.interrupted() || callbacks.isStopping()) {
        throw new InterruptedException();
      }
      LockSupport.parkNanos(IN_ORDER_AGAIN_NANOS);
    }
    return true;
  }

  /** The listener's destination is down, which is not the event's fault. */
  private boolean defer(Delivery delivery, ListenerBreakers breakers) {
    if (delivery.isSuspect()) {
      // An outcome would forget its claims and starts.
      LockSupport.parkNanos(SUSPECT_AGAIN_NANOS);
      return false;
    }
    releaseTracker(delivery);
    DestinationBreaker destination = breakers.destinations().of(delivery.envelope());
    if (destination == null) {
      callbacks.notCalled(delivery, clock.now().plus(breakers.listener().pause()));
    } else {
      // In the table in every mode: its route is fetched as before, for its neighbours' sake.
      Duration pause = destination.pause(delivery.eventId());
      callbacks.finished(delivery, outcomes.ofOutage(delivery, destination.reason(), pause), true);
    }
    return true;
  }

  private boolean deferUnanswered(Delivery delivery, ListenerBreakers breakers) {
    breakers.listener().silent(delivery.envelope());
    breakers.notCalled(delivery.envelope());
    return defer(delivery, breakers);
  }

  /** Waits for its turn; false if the listener answers none of its calls. */
  private boolean enterAsync(ListenerCall call) throws InterruptedException {
    try {
      return asyncCalls.enter(call);
    } catch (InterruptedException e) {
      call.breakers().notCalled(call.delivery().envelope());
      throw e;
    }
  }

  private void endedBesideOthers(ListenerCall call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    solo.leave();
    boolean left = false;
    try {
      Outcome outcome = outcome(call, result, failure);
      if (!call.isToBeRepeated()) {
        releaseTracker(delivery);
        if (outcome == null) {
          callbacks.putBack(delivery);
        } else {
          callbacks.finished(delivery, outcome, !call.isAsync() && !call.wasAbandoned());
        }
      }
      left = true;
    } finally {
      end(call, left);
    }
  }

  /**
   * Something failed beyond the listener, unless it was {@code left}. A worker would see to it; on
   * other threads nobody does.
   */
  private void end(ListenerCall call, boolean left) {
    try {
      if (!left && call.endedElsewhere()) {
        releaseTracker(call.delivery());
        leave(call.delivery());
      }
    } finally {
      asyncCalls.leave(call); // only now: closing waits for what is in flight
    }
  }

  private void awaitSettled(ListenerCall call) {
    if (awaitEnd(call)) {
      // The next suspect may end the process; this start must not be without an outcome then.
      callbacks.awaitSettled(call.delivery());
      suspects.ended(call.delivery());
    }
  }

  /** False if the call was abandoned, or the outbox ends: then nobody waits for it. */
  private boolean awaitEnd(ListenerCall call) {
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

  private void endedAlone(ListenerCall call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    boolean left = false;
    try {
      Outcome outcome = outcome(call, result, failure);
      releaseTracker(delivery);
      // Cut short by ourselves, it came back: it does not end the process.
      callbacks.finished(delivery, outcome == null ? outcomes.ofNoStart(delivery) : outcome, false);
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

  private ListenerCall newCall(
      Delivery delivery, EventListener listener, ListenerBreakers breakers) {
    return new ListenerCall(
        delivery,
        listener instanceof AsyncListener,
        breakers,
        listeners.around(delivery.envelope()),
        delivery.isSuspect() ? this::endedAlone : this::endedBesideOthers);
  }

  private void call(ListenerCall call, EventListener listener) {
    callbacks.started(call.delivery());
    call.run(() -> call.interception().call(listener), timeouts);
    callbacks.returned(call.delivery());
    if (call.wasAbandoned()) {
      cameBack.run();
    }
  }

  /** What the call came to; null if the engine itself cut it short, or it is repeated. */
  private Outcome outcome(ListenerCall call, DispatchResult result, Throwable failure) {
    callbacks.answered(System.nanoTime() - call.startNanos());
    call.interception().ended(result, failure);
    return outcomes.of(call, result, failure);
  }
}
