package io.outbox.internal.breaker;

import io.outbox.internal.Guard;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;

/** How many asynchronous calls, and how many bytes of their events, are in flight. Thread-safe. */
public final class InFlightLimit {

  private final int max;
  private final long maxBytes;
  private final Guard lock = new Guard();
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
  public boolean acquire(long size, long patienceNanos) throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
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
    try (Guard guard = lock.lock()) {
      return waiting.isEmpty() && fits(0);
    }
  }

  public void release(long size) {
    try (Guard guard = lock.lock()) {
      count--;
      bytes -= size;
      releasedNanos = System.nanoTime();
      wakeNext();
    }
  }
}
