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
  private final Condition fewer = lock.newCondition();
  private final ArrayDeque<Condition> waiting = new ArrayDeque<>();
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
    lock.lockInterruptibly();
    try {
      if (waiting.isEmpty() && fits(size)) {
        enter(size);
        return;
      }
      Condition turn = lock.newCondition();
      waiting.add(turn);
      try {
        while (waiting.peek() != turn || !fits(size)) {
          turn.await();
        }
        enter(size);
      } finally {
        waiting.remove(turn);
        wakeNext();
      }
    } finally {
      lock.unlock();
    }
  }

  private void enter(long size) {
    count++;
    bytes += size;
  }

  /** Only the first in the queue can go on, so no other is woken: it would only look and wait. */
  private void wakeNext() {
    Condition next = waiting.peek();
    if (next != null) {
      next.signal();
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
      wakeNext();
      fewer.signalAll();
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
        left = fewer.awaitNanos(Math.min(left, TimeUnit.SECONDS.toNanos(1)));
        left = deadlineNanos - System.nanoTime();
      }
    } finally {
      lock.unlock();
    }
  }
}
