package io.outbox.internal.call;

import io.outbox.EventListener;
import io.outbox.internal.PolicedListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.breaker.CircuitBreakers;
import io.outbox.internal.breaker.DestinationBreaker;
import io.outbox.internal.breaker.ListenerBreakers;
import io.outbox.internal.breaker.ReturnPace;
import io.outbox.internal.policy.Gate;
import io.outbox.internal.policy.ListenerTerms;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.spi.Outcome;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Brings an event to its listener, if there is one that can be called now; else sees to what
 * becomes of it. Thread-safe.
 */
public final class Deliverer<D extends Delivery> {

  private static final long SUSPECT_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** How long an event without a listener waits if there are too many such routes to tell. */
  private static final Duration NO_LISTENER_AGAIN = Duration.ofSeconds(10);

  private final WorkQueue<D> queue;
  private final Listeners listeners;
  private final MissingListeners missing;
  private final CircuitBreakers circuitBreakers;
  private final SafeTracker tracker;
  private final CallOutcomes<D> outcomes;
  private final ListenerCalls<D> calls;
  private final ReturnPace noPlace = new ReturnPace(System::nanoTime);
  private final RepeatedWarning warning = new RepeatedWarning(Deliverer.class, Level.ERROR);

  public Deliverer(
      WorkQueue<D> queue,
      Listeners listeners,
      MissingListeners missing,
      CircuitBreakers circuitBreakers,
      SafeTracker tracker,
      CallOutcomes<D> outcomes,
      ListenerCalls<D> calls) {
    this.queue = queue;
    this.listeners = listeners;
    this.missing = missing;
    this.circuitBreakers = circuitBreakers;
    this.tracker = tracker;
    this.outcomes = outcomes;
    this.calls = calls;
  }

  /** Delivers it on this thread; returns early if the listener answers later. */
  void deliver(D delivery) throws InterruptedException {
    boolean tracked = false;
    boolean taken = false;
    try {
      tracked = acquire(delivery);
      taken = tracked && deliverToListener(delivery);
    } finally {
      if (!taken) {
        if (tracked) {
          tracker.release(delivery.eventId());
        }
        calls.leave(delivery);
      }
    }
  }

  /** From now on every failure may be due to our own interrupt. */
  void force() {
    outcomes.force();
  }

  /** A listener that outlived a stop may still have it. */
  private boolean acquire(D delivery) throws InterruptedException {
    while (!tracker.tryAcquire(delivery.eventId())) {
      if (!queue.waitsFor(delivery)) {
        return false;
      }
      warning.log(() -> "event " + delivery.eventId() + " waits: an earlier call of it still runs");
    }
    return true;
  }

  private boolean deliverToListener(D delivery) throws InterruptedException {
    EventListener listener = listeners.find(delivery.envelope());
    if (listener instanceof Listeners.Failing none && none.isMissing()) {
      EventRoute route = EventRoute.of(delivery.envelope());
      if (missing.waits(
          route, outcomes.tooOldAt(delivery), listeners.nearMiss(delivery.envelope()))) {
        return leaveToOthers(delivery, route, none.reason());
      }
      listener = listeners.find(delivery.envelope(), missing.nobodySince(route)); // it may be new
    }
    ListenerTerms<D> terms = outcomes.termsOf(listener);
    Outcome end = delivery.isSuspect() ? outcomes.ofTooManyStarts(delivery, terms) : null;
    return end == null
        ? deliverTo(PolicedListener.plain(listener), terms, delivery)
        : finish(delivery, end);
  }

  /** Another node may have a listener for it, now or soon. */
  private boolean leaveToOthers(D delivery, EventRoute route, Throwable none) {
    Outcome later = outcomes.ofNoListener(delivery, none, NO_LISTENER_AGAIN);
    boolean isTooOld = later.status() == EventStatus.DEAD;
    if (!isTooOld && missing.isLeftOut(route)) {
      return false; // it is not read again
    }
    return !isTooOld && delivery.isSuspect() ? tryLater() : finish(delivery, later);
  }

  /** For a suspect: an outcome would forget its claims and starts. */
  private static boolean tryLater() {
    LockSupport.parkNanos(SUSPECT_AGAIN_NANOS);
    return false;
  }

  /** Without a call. */
  private boolean finish(D delivery, Outcome outcome) {
    if (!queue.mayStart(delivery)) {
      return false;
    }
    tracker.release(delivery.eventId());
    queue.finished(delivery, outcome, true);
    return true;
  }

  private boolean deliverTo(EventListener listener, ListenerTerms<D> terms, D delivery)
      throws InterruptedException {
    if (!isFree(listener, delivery)) {
      return delivery.isSuspect()
          ? tryLater()
          : finish(delivery, outcomes.ofHold(delivery, circuitBreakers.holds().pause()));
    }
    ListenerBreakers breakers =
        listener instanceof Listeners.Failing
            ? circuitBreakers.ofNoListener()
            : circuitBreakers.of(listener);
    if (!mayPass(delivery, breakers)) {
      return defer(delivery, terms, breakers);
    }
    if (terms.gate() != null && !mayEnter(delivery, terms.gate(), breakers)) {
      return park(delivery, terms.gate());
    }
    return switch (calls.call(
        delivery, listener, terms, breakers, listeners.around(delivery.envelope()))) {
      case TAKEN -> true;
      case NOT_STARTED -> false;
      case NO_PLACE -> {
        breakers.listener().silent(delivery.envelope());
        breakers.notCalled(delivery.envelope());
        yield defer(delivery, terms, breakers);
      }
      case TO_BE_REPEATED -> {
        if (mayPass(delivery, breakers)) {
          // Read again before it is called again: during the outage an operator may have ended it.
          breakers.notCalled(delivery.envelope());
        }
        yield false;
      }
    };
  }

  /** Whether no operator has paused its tenant or its destination. */
  private boolean isFree(EventListener listener, D delivery) throws InterruptedException {
    while (circuitBreakers.holds().contains(delivery.envelope(), listener)) {
      if (!queue.waitsFor(delivery)) {
        return false;
      }
    }
    return true;
  }

  private boolean mayPass(D delivery, ListenerBreakers breakers) throws InterruptedException {
    while (!breakers.letsThrough(delivery.envelope())) {
      if (!queue.waitsFor(delivery)) {
        return false;
      }
    }
    return true;
  }

  /** Whether the listener has a place for it, by its policy. */
  private boolean mayEnter(D delivery, Gate<D> gate, ListenerBreakers breakers)
      throws InterruptedException {
    boolean entered = false;
    try {
      do {
        entered = gate.enter(delivery);
      } while (!entered && queue.waitsFor(delivery));
    } finally {
      if (!entered) {
        breakers.notCalled(delivery.envelope());
      }
    }
    return entered;
  }

  /** It waits for a place at its listener, here or in the table. */
  private boolean park(D delivery, Gate<D> gate) {
    tracker.release(delivery.eventId()); // first: another worker may have it at once
    if (gate.park(delivery)) {
      return true;
    }
    if (gate.holdsBack(delivery) || delivery.isSuspect() && !tryLater()) {
      calls.leave(delivery);
      outcomes.wasLeft(delivery);
    } else {
      // Its route is fetched as before, for its neighbors' sake.
      queue.notCalled(delivery, outcomes.after(Duration.ofNanos(noPlace.nextNanos())));
    }
    return true;
  }

  /** The listener's destination is down, which is not the event's fault. */
  private boolean defer(D delivery, ListenerTerms<D> terms, ListenerBreakers breakers) {
    if (delivery.isSuspect()) {
      return tryLater();
    }
    DestinationBreaker destination = breakers.destinations().of(delivery.envelope());
    if (destination != null) {
      // In the table in every mode: its route is fetched as before, for its neighbors' sake.
      Duration pause = destination.pause(delivery.eventId());
      return finish(delivery, outcomes.ofOutage(delivery, terms, destination.reason(), pause));
    }
    if (!queue.mayStart(delivery)) {
      return false;
    }
    tracker.release(delivery.eventId());
    queue.notCalled(delivery, outcomes.after(breakers.listener().pause()));
    return true;
  }
}
