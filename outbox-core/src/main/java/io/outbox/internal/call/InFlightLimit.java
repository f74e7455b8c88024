package io.outbox.internal.call;

import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** How many asynchronous calls, and how many bytes of their events, are in flight. Thread-safe. */
public final class InFlightLimit {

  private final int max;
  private final long maxBytes;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Condition> waiting = new ArrayDeque<>();
  private int count;
  private long bytes;
  private long releasedNanos = System.nanoTime();

  InFlightLimit(int max, long maxBytes) {
    this.max = max;
    this.maxBytes = maxBytes;
  }

  /**
   * Waits for a place, first come first served: a large event must not wait for ever because small
   * ones find room. One event always fits, however large.
   *
   * @param patienceNanos how long to wait without any place becoming free
   * @return false if there was none for so long
   */
  boolean acquire(long size, long patienceNanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      if (waiting.isEmpty() && fits(size)) {
        enter(size);
        return true;
      }
      Condition turn = lock.newCondition();
      waiting.add(turn);
      long since = System.nanoTime();
      try {
        while (waiting.peek() != turn || !fits(size)) {
          long last = releasedNanos - since > 0 ? releasedNanos : since;
          long left = last + patienceNanos - System.nanoTime();
          if (left <= 0) {
            return false;
          }
          turn.awaitNanos(left);
        }
        enter(size);
        return true;
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

  boolean hasRoom() {
    lock.lock();
    try {
      return waiting.isEmpty() && fits(0);
    } finally {
      lock.unlock();
    }
  }

  void release(long size) {
    lock.lock();
    try {
      count--;
      bytes -= size;
      releasedNanos = System.nanoTime();
      wakeNext();
    } finally {
      lock.unlock();
    }
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
}
