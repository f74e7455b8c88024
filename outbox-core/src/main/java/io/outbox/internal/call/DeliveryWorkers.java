package io.outbox.internal.call;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/** The threads that call listeners, and those that take the place of stuck ones. */
public final class DeliveryWorkers<D extends Delivery> {

  /** So many threads per worker may be stuck in listeners before no more take their places. */
  private static final int MAX_STUCK_PER_WORKER = 4;

  private final WorkQueue<D> queue;
  private final Deliverer<D> deliverer;
  private final AsyncCalls asyncCalls;
  private final int count;
  private final ThreadFactory factory;
  private final ListenerTimeouts timeouts; // null: listeners take as long as they like
  private final RepeatedWarning warning = new RepeatedWarning(DeliveryWorkers.class, Level.ERROR);
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final Set<Thread> stuck = ConcurrentHashMap.newKeySet(); // in listeners
  private volatile boolean forced;

  /**
   * @param timeouts null for none; they tell {@link #replace} of stuck threads
   */
  public DeliveryWorkers(
      WorkQueue<D> queue,
      Deliverer<D> deliverer,
      AsyncCalls asyncCalls,
      int count,
      ThreadFactory factory,
      ListenerTimeouts timeouts) {
    this.queue = queue;
    this.deliverer = deliverer;
    this.asyncCalls = asyncCalls;
    this.count = count;
    this.factory = factory;
    this.timeouts = timeouts;
    for (int i = 0; i < count; i++) {
      threads.add(factory.newThread(this::run));
    }
  }

  public void start() {
    threads.forEach(Thread::start);
  }

  /** Waits until the workers have ended and have their answers, at most until the deadline. */
  public void join(long deadlineNanos) throws InterruptedException {
    long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    for (Thread thread = running(); thread != null && left > 0; thread = running()) {
      // In steps: it may be replaced.
      thread.join(Math.min(left, 100));
      left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
    }
    asyncCalls.awaitEnd(deadlineNanos);
  }

  /** A worker that has not ended, other than the one that asks: it would wait for itself. */
  private Thread running() {
    return threads.stream()
        .filter(thread -> thread != Thread.currentThread() && thread.isAlive())
        .findAny()
        .orElse(null);
  }

  /** Whether all workers have ended, except the one that asks. */
  public boolean haveEnded() {
    return running() == null && asyncCalls.haveEnded();
  }

  /** Interrupts listeners that did not come back, and cancels answers that did not. */
  public void force() {
    forced = true;
    deliverer.force();
    for (Thread thread : threads) {
      if (thread != Thread.currentThread()) {
        thread.interrupt();
      }
    }
    asyncCalls.cancel();
  }

  /** To be called when nothing is waited for any more. */
  public void close() {
    asyncCalls.giveUp();
    if (timeouts != null) {
      timeouts.close();
    }
  }

  /** A new thread takes the place of one whose listener does not yield. */
  public synchronized void replace(Thread thread) {
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
        D delivery = queue.next();
        if (delivery == null) {
          return;
        }
        deliver(delivery);
      } catch (InterruptedException e) {
        if (forced) {
          return;
        }
      } catch (Throwable e) {
        log(e);
      }
    }
  }

  private void log(Throwable e) {
    try {
      warning.log(() -> "a worker failed unexpectedly and goes on", e);
    } catch (Throwable unsaid) {
      // There may be no memory left for it.
    }
  }

  private void deliver(D delivery) throws InterruptedException {
    if (!delivery.start()) {
      delivery.left(); // dropped while it was queued; a place that it had got is for another
      return;
    }
    long start = System.nanoTime();
    try {
      deliverer.deliver(delivery);
    } finally {
      if (!stuck.isEmpty()) { // most of the time it is
        stuck.remove(Thread.currentThread()); // it came back after all
      }
    }
    if (threads.contains(Thread.currentThread())) {
      queue.served(System.nanoTime() - start);
    }
  }
}
