package io.outbox.internal.engine;

import io.outbox.internal.VirtualThreads;
import io.outbox.internal.breaker.CircuitBreaker;
import io.outbox.internal.call.CallOutcomes;
import io.outbox.internal.call.Deliverer;
import io.outbox.internal.call.DeliveryWorkers;
import io.outbox.internal.call.ListenerCalls;
import io.outbox.internal.call.ListenerTimeouts;
import io.outbox.internal.call.SafeTracker;
import io.outbox.internal.call.SoloStart;
import io.outbox.internal.call.SuspectStarts;
import io.outbox.internal.keyed.KeyedDelivery;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.CallWatch;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.operate.Condition;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Delivers the events of a queue: starts all parts, tells them of each other's changes, and stops
 * them in order and within bounds. Thread-safe.
 */
public final class DeliveryEngine<D extends Delivery, Q extends EngineQueue<D>>
    implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(DeliveryEngine.class);
  private static final String WORKER_NAMES = "outbox-worker-";
  private static final long FORCED_END_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
  private static final long LAST_WRITES_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final EngineParts<D> parts;
  private final Q queue;
  private final DeliveryWorkers<D> workers;
  private final long drainNanos;
  private boolean closed;

  /** An engine that runs, behind a dispatcher. One event at a time is also one after the other. */
  public static DeliveryEngine<Delivery, PolledQueue> polled(OutboxSettings settings) {
    boolean inOrder = settings.workerCount == 1 && settings.maxInFlight == 1;
    return start(settings, inOrder ? InOrderQueue::new : HotColdQueue::new);
  }

  /** An engine that runs and delivers the events of each key one after the other. */
  public static DeliveryEngine<KeyedDelivery, KeyedQueue> keyed(OutboxSettings settings) {
    return start(settings, KeyedQueue::new);
  }

  private static <D extends Delivery, Q extends EngineQueue<D>> DeliveryEngine<D, Q> start(
      OutboxSettings settings, Function<EngineParts<D>, Q> queue) {
    DeliveryEngine<D, Q> engine = new DeliveryEngine<>(settings, queue);
    try {
      engine.start();
    } catch (Throwable failure) {
      engine.stop();
      throw failure;
    }
    return engine;
  }

  private DeliveryEngine(OutboxSettings from, Function<EngineParts<D>, Q> newQueue) {
    drainNanos = TimeUnit.MILLISECONDS.toNanos(from.drainTimeoutMs);
    parts = new EngineParts<>(from, new Changes());
    queue = newQueue.apply(parts);
    ListenerTimeouts timeouts = new ListenerTimeouts(from.listenerTimeout, this::replace);
    workers =
        new DeliveryWorkers<>(
            queue,
            deliverer(timeouts),
            parts.asyncCalls,
            from.workerCount,
            from.virtualThreads
                ? VirtualThreads.named(WORKER_NAMES)
                : new DaemonThreadFactory(WORKER_NAMES),
            timeouts);
  }

  private Deliverer<D> deliverer(ListenerTimeouts timeouts) {
    OutboxSettings from = parts.settings;
    SafeTracker tracker = new SafeTracker(from.inFlightTracker);
    CallOutcomes<D> outcomes = new CallOutcomes<>(parts.policies, parts.clock, parts.metrics);
    SoloStart solo = new SoloStart();
    SuspectStarts<D> suspects =
        new SuspectStarts<>(parts.session, queue.held(), solo, queue::mayStart);
    ListenerCalls<D> calls =
        new ListenerCalls<>(queue, tracker, outcomes, parts.asyncCalls, solo, suspects, timeouts);
    return new Deliverer<>(
        queue, parts.listeners, parts.missing, parts.breakers, tracker, outcomes, calls);
  }

  private void replace(Thread stuck) {
    workers.replace(stuck);
  }

  private void start() {
    parts.pauses.start(); // first: what is paused must not be delivered
    parts.members.start();
    queue.recorder().start();
    workers.start();
    queue.start();
  }

  /** What else works for this engine: if that hangs, events wait here. */
  public void watch(CallWatch calls) {
    parts.calls.include(calls);
  }

  /** What brings the events. */
  public Q queue() {
    return queue;
  }

  public List<Condition> conditions() {
    parts.calls.isStuck(); // which is then one of them
    return parts.conditions.list();
  }

  /** Harmless when called again. */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    // A thread that is being stopped itself closes as well as any other.
    boolean interrupted = Thread.interrupted();
    interrupted |= stop();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Delivers what is queued within the drain timeout, as far as the queue hands it out, then ends;
   * bounded. An interrupt cuts the waiting short, but everything is ended all the same.
   *
   * @return whether there was an interrupt
   */
  private boolean stop() {
    long deadline = System.nanoTime() + drainNanos;
    boolean interrupted = isCutShort(() -> queue.stop(drainNanos));
    interrupted |= isCutShort(() -> workers.join(deadline));
    queue.drop();
    if (!workers.haveEnded()) {
      workers.force();
      interrupted |= isCutShort(() -> workers.join(System.nanoTime() + FORCED_END_NANOS));
    }
    boolean nothingRuns = workers.haveEnded();
    workers.close();
    parts.pauses.close();
    List<EventRef> unstarted = queue.unstarted();
    List<EventRef> leased = unstarted.stream().filter(ref -> ref.owner() != null).toList();
    long last = Math.max(LAST_WRITES_NANOS, deadline - System.nanoTime());
    interrupted |= isCutShort(() -> queue.recorder().close(leased, last));
    interrupted |= isCutShort(() -> parts.deadLetters.close(FORCED_END_NANOS));
    interrupted |= isCutShort(() -> queue.close(FORCED_END_NANOS));
    parts.members.close(nothingRuns);
    logWhatIsLeft(unstarted.size(), queue.recorder().unwritten());
    return interrupted;
  }

  private interface Wait {
    void run() throws InterruptedException;
  }

  private static boolean isCutShort(Wait wait) {
    try {
      wait.run();
      return false;
    } catch (InterruptedException e) {
      return true;
    }
  }

  private static void logWhatIsLeft(int unstarted, int unwritten) {
    if (unwritten > 0 || unstarted > 0) {
      LOG.log(
          Level.INFO,
          () ->
              "closed with "
                  + unstarted
                  + " events not started and "
                  + unwritten
                  + " outcomes not written; they wait in the table");
    }
  }

  private final class Changes implements EngineParts.Listener<D> {
    @Override
    public void again(D delivery) {
      queue.again(delivery);
    }

    @Override
    public void heldBackChanged(boolean begun, boolean ended) {
      boolean endedMeanwhile = begun && removeHeldBack();
      if (ended || endedMeanwhile) {
        queue.roomAgain();
      }
    }

    /** Whether some of it is wanted again: a read that came in between saw it with this node. */
    private boolean removeHeldBack() {
      Set<EventRoute> before = parts.policies.heldBack();
      queue.remove(parts::isLeftOut);
      return parts.policies.haveRoom(before);
    }

    @Override
    public void breakerChanged(CircuitBreaker breaker) {
      parts.metrics.recordUnavailableListeners(parts.breakers.open());
      parts.metrics.recordUnavailableDestinations(parts.breakers.missingDestinations());
      parts.members.detailChanged();
      if (breaker.isOpen()) {
        queue.tryAfter(breaker.pause());
      } else {
        queue.resume();
      }
    }

    @Override
    public void pausesChanged(boolean begun, boolean ended) {
      if (begun) {
        queue.removePaused(parts.paused::isPaused);
      }
      if (ended) {
        queue.resume();
      }
    }

    @Override
    public void missingChanged(boolean begun, boolean ended) {
      parts.members.detailChanged();
      if (begun) {
        queue.remove(parts::isLeftOut);
      }
      if (ended) {
        queue.resume();
      }
    }
  }
}
