package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.OutageException;
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
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * Calls the listener of an event and sees to its outcome: beside others, or alone if an earlier
 * call of it may have ended the process. Thread-safe.
 */
public final class Deliverer {

  private static final Logger LOG = PrintableLogger.of(Deliverer.class);
  private static final long WAIT_FOR_SOLO_NANOS = TimeUnit.SECONDS.toNanos(2);
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
  private final StoreSession session;
  private final EngineClock clock;
  private final Listeners listeners;
  private final MissingListeners missing;
  private final InFlightTracker tracker;
  private final OutcomeDecision decision;
  private final boolean inOrder; // one after the other
  private final SoloStart solo = new SoloStart();
  private final AsyncCalls asyncCalls;
  private final CircuitBreakers circuitBreakers;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.ERROR);
  private volatile boolean forced;
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
    this.session = session;
    this.clock = clock;
    this.listeners = listeners;
    this.missing = missing;
    this.tracker = tracker;
    this.decision = decision;
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
    forced = true;
  }

  private void leave(Delivery delivery) {
    if (delivery.mayBeStarted()) {
      callbacks.finished(delivery, startUndone(delivery), true);
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
      if (missing.waits(route, decision.tooOldAt(delivery.tried()))) {
        return leaveToOthers(delivery, route, none.reason());
      }
      listener = listeners.find(delivery.envelope(), missing.nobodySince(route)); // it may be new
    }
    return delivery.isSuspect()
        ? deliverAlone(delivery, listener)
        : deliverBesideOthers(delivery, listener);
  }

  /** Another node may have a listener for it, now or soon. */
  private boolean leaveToOthers(Delivery delivery, EventRoute route, Throwable none) {
    Outcome later = decision.ofOutage(delivery.tried(), none, NO_LISTENER_AGAIN, clock.now());
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

  private boolean deliverBesideOthers(Delivery delivery, EventListener listener)
      throws InterruptedException {
    ListenerBreakers breakers = circuitBreakers.of(listener);
    if (!mayPass(delivery, breakers)) {
      return defer(delivery, breakers);
    }
    ListenerCall call = newCall(delivery, listener, breakers, this::endedBesideOthers);
    if (!enterAsync(call)) {
      return deferUnanswered(delivery, breakers);
    }
    if (!enter(call)) {
      return false;
    }
    call(call, listener);
    if (inOrder && awaitEnd(call) && call.isToBeRepeated() && mayPass(delivery, breakers)) {
      // Read again before it is called again: during the outage an operator may have ended it.
      breakers.notCalled(delivery.envelope());
    }
    return !call.isToBeRepeated();
  }

  /** Whether the event is still ours when its turn has come. */
  private boolean enter(ListenerCall call) throws InterruptedException {
    Delivery delivery = call.delivery();
    boolean entered = false;
    try {
      // Waiting for room may have taken longer than the lease lasts.
      if (!call.isAsync() || callbacks.mayBeCalled(delivery)) {
        solo.enter();
        try {
          entered = callbacks.mayBeCalled(delivery); // that may have taken long as well
        } finally {
          if (!entered) {
            solo.leave();
          }
        }
      }
    } finally {
      if (!entered) {
        asyncCalls.leave(call);
        call.breakers().notCalled(delivery.envelope());
      }
    }
    return entered;
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
      callbacks.finished(
          delivery,
          decision.ofOutage(delivery.tried(), destination.reason(), pause, clock.now()),
          true);
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
    boolean decided = false;
    try {
      Outcome outcome = outcome(call, result, failure);
      decided = true;
      if (call.isToBeRepeated()) {
        return;
      }
      releaseTracker(delivery);
      if (outcome == null) {
        callbacks.putBack(delivery);
      } else {
        callbacks.finished(delivery, outcome, !call.isAsync() && !call.wasAbandoned());
      }
    } finally {
      leaveUndecided(call, decided);
      asyncCalls.leave(call); // only now: closing waits for what is in flight
    }
  }

  /**
   * Something failed beyond the listener. A worker would see to it; on other threads nobody does.
   */
  private void leaveUndecided(ListenerCall call, boolean decided) {
    if (!decided && call.endedElsewhere()) {
      releaseTracker(call.delivery());
      leave(call.delivery());
    }
  }

  /** The start is in the database before the listener is called: if the process dies, it counts. */
  private boolean deliverAlone(Delivery delivery, EventListener listener)
      throws InterruptedException {
    if (delivery.starts() >= decision.maxAttempts()) {
      String reason =
          "started "
              + delivery.starts()
              + " times without an outcome: delivering it seems to end the process";
      releaseTracker(delivery);
      callbacks.finished(
          delivery, Outcome.dead(delivery.ref(), delivery.attempts(), clock.now(), reason), true);
      return true;
    }
    ListenerBreakers breakers = circuitBreakers.of(listener);
    if (!mayPass(delivery, breakers)) {
      return defer(delivery, breakers);
    }
    ListenerCall call = newCall(delivery, listener, breakers, this::endedAlone);
    if (!enterAsync(call)) {
      return deferUnanswered(delivery, breakers);
    }
    boolean called = false;
    try {
      if (!solo.tryEnterAlone(delivery, WAIT_FOR_SOLO_NANOS)) {
        return false;
      }
      try {
        called = recordStart(delivery) && isStillLeased(delivery);
      } finally {
        if (!called) {
          solo.leaveAlone(delivery);
        }
      }
    } finally {
      if (!called) {
        asyncCalls.leave(call);
        breakers.notCalled(delivery.envelope());
      }
    }
    if (called) {
      call(call, listener);
      awaitSettled(call);
    }
    return called;
  }

  /** Whether the event is still ours, and its start in the database. */
  private boolean recordStart(Delivery delivery) {
    try {
      return session.inTransaction(conn -> session.store().recordStart(conn, delivery.ref()));
    } catch (RuntimeException e) {
      warning.log(() -> "the start of event " + delivery.eventId() + " cannot be recorded", e);
      delivery.startMayBeRecorded();
      return false;
    }
  }

  /** Waiting for the others and for the database may have taken longer than the lease lasts. */
  private boolean isStillLeased(Delivery delivery) {
    boolean leased = false;
    try {
      leased = callbacks.mayBeCalled(delivery);
    } finally {
      if (!leased) {
        delivery.startMayBeRecorded();
      }
    }
    return leased;
  }

  private void awaitSettled(ListenerCall call) {
    if (awaitEnd(call)) {
      // The next suspect may end the process; this start must not be without an outcome then.
      callbacks.awaitSettled(call.delivery());
      solo.leaveAlone(call.delivery());
    }
  }

  /** False if the call was abandoned, or the outbox ends: then nobody waits for it. */
  private boolean awaitEnd(ListenerCall call) {
    while (!call.wasAbandoned()) {
      try {
        call.awaitEnd();
        return !call.wasAbandoned();
      } catch (InterruptedException e) {
        if (forced) {
          return false;
        }
      }
    }
    return false;
  }

  private void endedAlone(ListenerCall call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    boolean decided = false;
    try {
      Outcome outcome = outcome(call, result, failure);
      decided = true;
      releaseTracker(delivery);
      // Cut short by ourselves, it came back: it does not end the process.
      callbacks.finished(delivery, outcome == null ? startUndone(delivery) : outcome, false);
    } finally {
      leaveUndecided(call, decided);
      asyncCalls.leave(call);
      if (call.wasAbandoned()) {
        solo.leaveAlone(delivery);
      }
    }
  }

  /** Whoever is not to blame begins anew: no claims, no starts. */
  private Outcome startUndone(Delivery delivery) {
    return Outcome.deferred(delivery.ref(), delivery.attempts(), clock.now());
  }

  private ListenerCall newCall(
      Delivery delivery,
      EventListener listener,
      ListenerBreakers breakers,
      ListenerCall.Listener ended) {
    return new ListenerCall(
        delivery,
        listener instanceof AsyncListener,
        breakers,
        listeners.around(delivery.envelope()),
        ended);
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
    Delivery delivery = call.delivery();
    callbacks.answered(System.nanoTime() - call.startNanos());
    call.interception().ended(result, failure);
    if (forced || delivery.wasCutShort()) {
      return outcomeCutShort(call, result, failure);
    }
    if (failure instanceof OutageException outage) {
      Duration pause = call.breakers().failed(delivery.envelope(), !inOrder, outage);
      Outcome outcome = decision.ofOutage(delivery.tried(), failure, pause, clock.now());
      if (inOrder && outcome.status().isPending()) {
        call.repeat();
        return null;
      }
      return outcome;
    }
    if (failure instanceof TimeoutException) {
      call.breakers().unanswered(delivery.envelope());
    } else {
      call.breakers().answered(delivery.envelope());
    }
    return failure == null
        ? ofResult(delivery, result)
        : decision.ofFailure(delivery.tried(), failure, clock.now());
  }

  private Outcome ofResult(Delivery delivery, DispatchResult result) {
    if (result instanceof DispatchResult.RetryAfter) {
      delivery.putOffByListener();
    }
    return decision.ofResult(delivery.tried(), result, clock.now());
  }

  /** What is done is done. Whatever else came of our own interrupt is not the event's failure. */
  private Outcome outcomeCutShort(ListenerCall call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    Outcome outcome = failure == null ? ofResult(delivery, result) : null;
    if (outcome == null || outcome.status() == EventStatus.DEAD) {
      call.breakers().notCalled(delivery.envelope());
      return null;
    }
    call.breakers().answered(delivery.envelope());
    return outcome;
  }
}
