package io.outbox.dispatch;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.EngineClock;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.StoreSession;
import io.outbox.model.Outcome;
import io.outbox.registry.ListenerRegistry;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The threads that call listeners. */
final class DeliveryWorkers {

  private static final Logger LOG = System.getLogger(DeliveryWorkers.class.getName());
  private static final long WAIT_FOR_SOLO_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** Where workers get and leave their deliveries. */
  interface Desk {
    Delivery next() throws InterruptedException;

    /** Whether its lease, if it has one, lasts long enough to call the listener. */
    boolean ensureLease(Delivery delivery);

    void finished(Delivery delivery, Outcome outcome);

    /** Waits until the outcome of a finished delivery is written or lost, for a bounded time. */
    void awaitSettled(Delivery delivery);

    /** It was not delivered, and is left to a later poll. */
    void putBack(Delivery delivery);

    /** Its listener is called now. */
    void started(Delivery delivery);

    /** A listener took this long. */
    void served(long nanos);
  }

  private final Desk desk;
  private final StoreSession session;
  private final EngineClock clock;
  private final ListenerRegistry registry;
  private final List<EventInterceptor> interceptors;
  private final InFlightTracker tracker;
  private final OutcomeDecision decision;
  private final SoloGate gate = new SoloGate();
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.ERROR);
  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean forced;

  DeliveryWorkers(
      Desk desk,
      StoreSession session,
      EngineClock clock,
      ListenerRegistry registry,
      List<EventInterceptor> interceptors,
      InFlightTracker tracker,
      OutcomeDecision decision,
      int count) {
    this.desk = desk;
    this.session = session;
    this.clock = clock;
    this.registry = registry;
    this.interceptors = interceptors;
    this.tracker = tracker;
    this.decision = decision;
    DaemonThreadFactory factory = new DaemonThreadFactory("outbox-worker-");
    for (int i = 0; i < count; i++) {
      threads.add(factory.newThread(this::run));
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Waits until the workers have ended, at most until {@code deadlineNanos}. */
  void join(long deadlineNanos) throws InterruptedException {
    for (Thread thread : threads) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
      // A listener that closes the outbox would wait for itself.
      if (left > 0 && thread != Thread.currentThread()) {
        thread.join(left);
      }
    }
  }

  /** Whether all workers have ended, except the one that asks. */
  boolean haveEnded() {
    return threads.stream()
        .noneMatch(thread -> thread != Thread.currentThread() && thread.isAlive());
  }

  /** Interrupts listeners that did not come back. */
  void force() {
    forced = true;
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()) {
        thread.interrupt();
      }
    }
  }

  private void run() {
    while (true) {
      try {
        Delivery delivery = desk.next();
        if (delivery == null) {
          return;
        }
        deliver(delivery);
      } catch (InterruptedException e) {
        if (forced) {
          return;
        }
      } catch (Throwable e) {
        warning.log(() -> "a worker failed unexpectedly and goes on", e);
      }
    }
  }

  private void deliver(Delivery delivery) throws InterruptedException {
    if (!delivery.start()) {
      return; // dropped while it was queued
    }
    boolean delivered = false;
    try {
      delivered = desk.ensureLease(delivery) && deliverTracked(delivery);
    } finally {
      if (!delivered) {
        desk.putBack(delivery);
      }
    }
  }

  private boolean deliverTracked(Delivery delivery) throws InterruptedException {
    if (!tracker.tryAcquire(delivery.eventId())) {
      return false;
    }
    try {
      return delivery.isSuspect() ? deliverAlone(delivery) : deliverBesideOthers(delivery);
    } finally {
      releaseTracker(delivery);
    }
  }

  /** Its outcome is on the way: what a tracker throws must not undo that. */
  private void releaseTracker(Delivery delivery) {
    try {
      tracker.release(delivery.eventId());
    } catch (Throwable e) {
      warning.log(() -> "the tracker did not release event " + delivery.eventId(), e);
    }
  }

  private boolean deliverBesideOthers(Delivery delivery) throws InterruptedException {
    gate.enter();
    Outcome outcome;
    try {
      outcome = dispatch(delivery);
    } finally {
      gate.leave();
    }
    return finish(delivery, outcome);
  }

  /** The start is in the database before the listener is called: if the process dies, it counts. */
  private boolean deliverAlone(Delivery delivery) throws InterruptedException {
    if (delivery.starts() >= decision.maxAttempts()) {
      return finish(
          delivery,
          Outcome.dead(
              delivery.ref(),
              delivery.attempts(),
              clock.now(),
              "started "
                  + delivery.starts()
                  + " times without an outcome: delivering it seems to end the process"));
    }
    if (!gate.tryEnterAlone(WAIT_FOR_SOLO_NANOS)) {
      return false;
    }
    try {
      return startAlone(delivery);
    } finally {
      gate.leaveAlone();
    }
  }

  private boolean startAlone(Delivery delivery) {
    boolean ours;
    try {
      ours = session.inTransaction(conn -> session.store().recordStart(conn, delivery.ref()));
    } catch (RuntimeException e) {
      warning.log(() -> "the start of event " + delivery.eventId() + " cannot be recorded", e);
      return finish(delivery, startUndone(delivery)); // it may be there, the answer being lost
    }
    if (!ours) {
      return false;
    }
    Outcome outcome = dispatch(delivery);
    if (outcome == null) {
      return finish(delivery, startUndone(delivery)); // interrupted, it came back
    }
    finish(delivery, outcome);
    // The next suspect may end the process, and this start must not be without an outcome then.
    desk.awaitSettled(delivery);
    return true;
  }

  /** Whoever is not to blame begins anew: no claims, no starts. */
  private Outcome startUndone(Delivery delivery) {
    return Outcome.deferred(delivery.ref(), delivery.attempts(), clock.now());
  }

  private boolean finish(Delivery delivery, Outcome outcome) {
    if (outcome == null) {
      return false;
    }
    desk.finished(delivery, outcome);
    return true;
  }

  /** Calls the listener; null if it was interrupted by the end of the outbox. */
  private Outcome dispatch(Delivery delivery) {
    EventEnvelope event = delivery.envelope();
    DispatchResult result = null;
    Throwable failure = null;
    desk.started(delivery);
    long start = System.nanoTime();
    try {
      for (EventInterceptor interceptor : interceptors) {
        interceptor.beforeDispatch(event);
      }
      EventListener listener = registry.listenerFor(event.aggregateType(), event.eventType());
      if (listener == null) {
        throw UnroutableEventException.noListenerFor(event);
      }
      result = listener.onEvent(event);
    } catch (Throwable e) {
      failure = e;
    }
    desk.served(System.nanoTime() - start);
    // A listener that leaves its thread interrupted was stopped in the middle of its work.
    boolean interrupted = Thread.interrupted();
    if (interrupted && failure == null) {
      failure = new InterruptedException("the listener left its thread interrupted");
    }
    afterDispatch(event, failure);
    if (failure == null) {
      return decision.ofResult(delivery.ref(), delivery.attempts(), result, clock.now());
    }
    if (forced) {
      return null; // our own interrupt, not the event's failure
    }
    return decision.ofFailure(delivery.ref(), delivery.attempts(), failure, clock.now());
  }

  private void afterDispatch(EventEnvelope event, Throwable failure) {
    Exception error =
        failure == null || failure instanceof Exception
            ? (Exception) failure
            : new IllegalStateException("the listener threw " + failure, failure);
    for (int i = interceptors.size() - 1; i >= 0; i--) {
      try {
        interceptors.get(i).afterDispatch(event, error);
      } catch (Throwable e) {
        warning.log(() -> "afterDispatch failed for event " + event.eventId(), e);
      }
    }
  }
}
