package io.outbox.dispatch;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How many asynchronous calls, and how many bytes of their events, are in flight. Thread-safe. */
final class InFlightLimit {

  private final int max;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private int count;
  private long bytes;

  InFlightLimit(int max, long maxBytes) {
    this.max = max;
    this.maxBytes = maxBytes;
  }

  /** Waits for a place. One event always fits, however large. */
  void acquire(long size) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (count > 0 && (count >= max || bytes + size > maxBytes)) {
        changed.await();
      }
      count++;
      bytes += size;
    } finally {
      lock.unlock();
    }
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

  boolean isEmpty() {
    lock.lock();
    try {
      return count == 0;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until nothing is in flight, at most until {@code deadlineNanos}. */
  void awaitEmpty(long deadlineNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = deadlineNanos - System.nanoTime();
      while (count > 0 && left > 0) {
        left = changed.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
        left = deadlineNanos - System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }
}
