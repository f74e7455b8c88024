package io.outbox.internal.call;

import io.outbox.EventListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.breaker.CircuitBreakers;
import io.outbox.internal.breaker.DestinationBreaker;
import io.outbox.internal.breaker.ListenerBreakers;
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
  private final CallOutcomes outcomes;
  private final ListenerCalls<D> calls;
  private final RepeatedWarning warning = new RepeatedWarning(Deliverer.class, Level.ERROR);

  public Deliverer(
      WorkQueue<D> queue,
      Listeners listeners,
      MissingListeners missing,
      CircuitBreakers circuitBreakers,
      SafeTracker tracker,
      CallOutcomes outcomes,
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
    boolean taken = false;
    try {
      taken = acquire(delivery) && deliverTracked(delivery);
    } finally {
      if (!taken) {
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

  private boolean deliverTracked(D delivery) throws InterruptedException {
    boolean taken = false;
    try {
      taken = deliverToListener(delivery);
    } finally {
      if (!taken) {
        tracker.release(delivery.eventId());
      }
    }
    return taken;
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
    Outcome end = delivery.isSuspect() ? outcomes.ofTooManyStarts(delivery) : null;
    return end == null ? deliverTo(listener, delivery) : finish(delivery, end);
  }

  /** Another node may have a listener for it, now or soon. */
  private boolean leaveToOthers(D delivery, EventRoute route, Throwable none) {
    Outcome later = outcomes.ofOutage(delivery, none, NO_LISTENER_AGAIN);
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

  private boolean deliverTo(EventListener listener, D delivery) throws InterruptedException {
    ListenerBreakers breakers =
        listener instanceof Listeners.Failing
            ? circuitBreakers.ofNoListener()
            : circuitBreakers.of(listener);
    if (!mayPass(delivery, breakers)) {
      return defer(delivery, breakers);
    }
    return switch (calls.call(
        delivery, listener, breakers, listeners.around(delivery.envelope()))) {
      case TAKEN -> true;
      case NOT_STARTED -> false;
      case NO_PLACE -> {
        breakers.listener().silent(delivery.envelope());
        breakers.notCalled(delivery.envelope());
        yield defer(delivery, breakers);
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

  private boolean mayPass(D delivery, ListenerBreakers breakers) throws InterruptedException {
    while (!breakers.letsThrough(delivery.envelope())) {
      if (!queue.waitsFor(delivery)) {
        return false;
      }
    }
    return true;
  }

  /** The listener's destination is down, which is not the event's fault. */
  private boolean defer(D delivery, ListenerBreakers breakers) {
    if (delivery.isSuspect()) {
      return tryLater();
    }
    DestinationBreaker destination = breakers.destinations().of(delivery.envelope());
    if (destination != null) {
      // In the table in every mode: its route is fetched as before, for its neighbors' sake.
      Duration pause = destination.pause(delivery.eventId());
      return finish(delivery, outcomes.ofOutage(delivery, destination.reason(), pause));
    }
    if (!queue.mayStart(delivery)) {
      return false;
    }
    tracker.release(delivery.eventId());
    queue.notCalled(delivery, outcomes.after(breakers.listener().pause()));
    return true;
  }
}
