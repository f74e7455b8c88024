package io.outbox.dispatch;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.EngineClock;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.StoreSession;
import io.outbox.model.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The threads that call listeners. */
final class DeliveryWorkers {

  private static final Logger LOG = System.getLogger(DeliveryWorkers.class.getName());
  private static final long WAIT_FOR_SOLO_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final long IN_ORDER_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** So many threads per worker may be stuck in listeners before no more take their places. */
  private static final int MAX_STUCK_PER_WORKER = 4;

  /** Where workers get and leave their deliveries. */
  interface Desk {
    Delivery next() throws InterruptedException;

    /** Whether its lease, if it has one, lasts long enough to call the listener. */
    boolean ensureLease(Delivery delivery);

    /** Waits until outcomes are taken without waiting. */
    void awaitRoom() throws InterruptedException;

    /** Leaves an outcome; {@code mayWait} while there are too many. */
    void finished(Delivery delivery, Outcome outcome, boolean mayWait);

    /** Waits until the outcome of a finished delivery is written or lost, for a bounded time. */
    void awaitSettled(Delivery delivery);

    /** It was not delivered, and is left to a later poll. */
    void putBack(Delivery delivery);

    /** Its listener is called now. */
    void started(Delivery delivery);

    /** A worker was busy with an event for this long. */
    void served(long nanos);

    /** A listener took this long to answer. */
    void answered(long nanos);
  }

  private final Desk desk;
  private final StoreSession session;
  private final EngineClock clock;
  private final Listeners listeners;
  private final InFlightTracker tracker;
  private final OutcomeDecision decision;
  private final int count;
  private final ThreadFactory factory;
  private final boolean inOrder; // one after the other
  private final SoloGate gate = new SoloGate();
  private final InFlightLimit inFlight;
  private final Set<ListenerCall> awaited = ConcurrentHashMap.newKeySet();
  private final ListenerTimeouts timeouts; // null: listeners take as long as they like
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.ERROR);
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<Thread> stuck = new ArrayList<>();
  private volatile boolean forced;

  /**
   * @param listenerTimeout null for none
   */
  DeliveryWorkers(
      Desk desk,
      StoreSession session,
      EngineClock clock,
      Listeners listeners,
      InFlightTracker tracker,
      OutcomeDecision decision,
      int count,
      ThreadFactory factory,
      InFlightLimit inFlight,
      Duration listenerTimeout) {
    this.desk = desk;
    this.session = session;
    this.clock = clock;
    this.listeners = listeners;
    this.tracker = tracker;
    this.decision = decision;
    this.count = count;
    this.inOrder = count == 1 && inFlight.max() == 1;
    this.factory = factory;
    this.inFlight = inFlight;
    this.timeouts =
        listenerTimeout == null ? null : new ListenerTimeouts(listenerTimeout, this::replace);
    for (int i = 0; i < count; i++) {
      threads.add(factory.newThread(this::run));
    }
  }

  void start() {
    threads.forEach(Thread::start);
  }

  /** Waits until the workers have ended and have their answers, at most until the deadline. */
  void join(long deadlineNanos) throws InterruptedException {
    long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    for (Thread thread = running(); thread != null && left > 0; thread = running()) {
      // In steps: it may be replaced.
      thread.join(Math.min(left, 100));
      left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    }
    inFlight.awaitFew(ownCalls(), deadlineNanos);
  }

  /** A worker that has not ended, other than the one that asks: it would wait for itself. */
  private Thread running() {
    return threads.stream()
        .filter(thread -> thread != Thread.currentThread() && thread.isAlive())
        .findAny()
        .orElse(null);
  }

  /** As many asynchronous calls are in flight because of who asks. */
  private long ownCalls() {
    return awaited.stream().filter(call -> call.isOn(Thread.currentThread())).count();
  }

  /** Whether all workers have ended, except the one that asks. */
  boolean haveEnded() {
    return running() == null && inFlight.count() <= ownCalls();
  }

  /** Interrupts listeners that did not come back, and cancels answers that did not. */
  void force() {
    forced = true;
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()) {
        thread.interrupt();
      }
    }
    awaited.forEach(ListenerCall::cancel);
  }

  /** To be called when nothing is waited for any more. */
  void close() {
    awaited.forEach(ListenerCall::giveUp);
    if (timeouts != null) {
      timeouts.close();
    }
  }

  /** A new thread takes the place of one whose listener does not yield. */
  private synchronized void replace(Thread thread) {
    stuck.removeIf(other -> !other.isAlive());
    stuck.add(thread);
    boolean tooMany = stuck.size() > MAX_STUCK_PER_WORKER * count;
    warning.log(
        () ->
            "a listener does not yield to its timeout in "
                + thread.getName()
                + "; its event may be delivered again beside it"
                + (tooMany ? "; too many are stuck, and no other thread takes its place" : ""));
    if (!tooMany && !forced) {
      threads.remove(thread);
      Thread other = factory.newThread(this::run);
      threads.add(other);
      other.start();
    }
  }

  private void run() {
    while (threads.contains(Thread.currentThread())) {
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
    long start = System.nanoTime();
    boolean taken = false;
    try {
      taken = desk.ensureLease(delivery) && deliverTracked(delivery);
    } finally {
      if (!taken) {
        leave(delivery);
      }
    }
    if (threads.contains(Thread.currentThread())) {
      desk.served(System.nanoTime() - start);
    }
  }

  private void leave(Delivery delivery) {
    if (delivery.mayBeStarted()) {
      desk.finished(delivery, startUndone(delivery), true);
    } else {
      desk.putBack(delivery);
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
      taken = delivery.isSuspect() ? deliverAlone(delivery) : deliverBesideOthers(delivery);
    } finally {
      if (!taken) {
        releaseTracker(delivery);
      }
    }
    return taken;
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
    EventListener listener = listeners.find(delivery.envelope());
    ListenerCall call = new ListenerCall(delivery, isAsync(listener), this::endedBesideOthers);
    makeRoom(call);
    boolean entered = false;
    try {
      // Waiting for room may have taken longer than the lease lasts.
      if (call.isAsync() && !desk.ensureLease(delivery)) {
        return false;
      }
      gate.enter();
      entered = true;
    } finally {
      if (!entered) {
        leaveRoom(call);
      }
    }
    call(call, listener);
    if (inOrder) {
      awaitEnd(call);
    }
    return true;
  }

  private void endedBesideOthers(ListenerCall call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    gate.leave();
    try {
      Outcome outcome = outcome(call, result, failure);
      releaseTracker(delivery);
      if (outcome == null) {
        desk.putBack(delivery);
      } else {
        desk.finished(delivery, outcome, !call.isAsync() && !call.wasAbandoned());
      }
    } finally {
      leaveRoom(call); // only now: closing waits for what is in flight
    }
  }

  /** The start is in the database before the listener is called: if the process dies, it counts. */
  private boolean deliverAlone(Delivery delivery) throws InterruptedException {
    if (delivery.starts() >= decision.maxAttempts()) {
      String reason =
          "started "
              + delivery.starts()
              + " times without an outcome: delivering it seems to end the process";
      releaseTracker(delivery);
      desk.finished(
          delivery, Outcome.dead(delivery.ref(), delivery.attempts(), clock.now(), reason), true);
      return true;
    }
    EventListener listener = listeners.find(delivery.envelope());
    ListenerCall call = new ListenerCall(delivery, isAsync(listener), this::endedAlone);
    makeRoom(call);
    boolean called = false;
    try {
      if (!gate.tryEnterAlone(delivery, WAIT_FOR_SOLO_NANOS)) {
        return false;
      }
      try {
        called = recordStart(delivery);
      } finally {
        if (!called) {
          gate.leaveAlone(delivery);
        }
      }
    } finally {
      if (!called) {
        leaveRoom(call);
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

  private void awaitSettled(ListenerCall call) {
    if (awaitEnd(call)) {
      // The next suspect may end the process; this start must not be without an outcome then.
      desk.awaitSettled(call.delivery());
      gate.leaveAlone(call.delivery());
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
    try {
      Outcome outcome = outcome(call, result, failure);
      releaseTracker(delivery);
      // Interrupted by the end of the outbox, it came back: it does not end the process.
      desk.finished(delivery, outcome == null ? startUndone(delivery) : outcome, false);
    } finally {
      leaveRoom(call);
      if (call.wasAbandoned()) {
        gate.leaveAlone(delivery);
      }
    }
  }

  /** Whoever is not to blame begins anew: no claims, no starts. */
  private Outcome startUndone(Delivery delivery) {
    return Outcome.deferred(delivery.ref(), delivery.attempts(), clock.now());
  }

  private static boolean isAsync(EventListener listener) {
    return listener instanceof AsyncListener;
  }

  /** An answer that comes later must not have to wait. */
  private void makeRoom(ListenerCall call) throws InterruptedException {
    if (call.isAsync()) {
      desk.awaitRoom();
      inFlight.acquire(call.delivery().bytes());
      awaited.add(call);
    }
  }

  private void leaveRoom(ListenerCall call) {
    if (call.isAsync()) {
      awaited.remove(call);
      inFlight.release(call.delivery().bytes());
    }
  }

  private void call(ListenerCall call, EventListener listener) {
    desk.started(call.delivery());
    call.run(() -> listeners.call(listener, call.delivery().envelope()), timeouts);
    if (call.wasAbandoned()) {
      cameBack();
    }
  }

  private synchronized void cameBack() {
    stuck.remove(Thread.currentThread());
  }

  /** What the call came to; null if the end of the outbox interrupted it. */
  private Outcome outcome(ListenerCall call, DispatchResult result, Throwable failure) {
    Delivery delivery = call.delivery();
    desk.answered(System.nanoTime() - call.startNanos());
    listeners.ended(delivery.envelope(), failure);
    if (failure == null) {
      return decision.ofResult(delivery.ref(), delivery.attempts(), result, clock.now());
    }
    return forced
        ? null // our own interrupt, not the event's failure
        : decision.ofFailure(delivery.ref(), delivery.attempts(), failure, clock.now());
  }
}
