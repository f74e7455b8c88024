package io.outbox.dispatch;

import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How many asynchronous calls, and how many bytes of their events, are in flight. Thread-safe. */
final class InFlightLimit {

  private final int max;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<Object> waiting = new ArrayDeque<>();
  private int count;
  private long bytes;

  InFlightLimit(int max, long maxBytes) {
    this.max = max;
    this.maxBytes = maxBytes;
  }

  /**
   * Waits for a place, first come first served: a large event must not wait for ever because small
   * ones find room. One event always fits, however large.
   */
  void acquire(long size) throws InterruptedException {
    Object me = new Object();
    lock.lockInterruptibly();
    try {
      waiting.add(me);
      while (waiting.peek() != me || !fits(size)) {
        changed.await();
      }
      count++;
      bytes += size;
    } finally {
      waiting.remove(me);
      changed.signalAll();
      lock.unlock();
    }
  }

  private boolean fits(long size) {
    return count == 0 || count < max && bytes + size <= maxBytes;
  }

  void release(long size) {
    lock.lock();
    try {
      count--;
      bytes -= size;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  int max() {
    return max;
  }

  /** How many are in flight. */
  int count() {
    lock.lock();
    try {
      return count;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until no more than {@code few} are in flight, at most until {@code deadlineNanos}. */
  void awaitFew(long few, long deadlineNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (count > few && left > 0) {
        left = changed.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
        left = deadlineNanos - System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }
}
