package io.outbox.internal;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Tells the poller when it has a reason to look before its interval is over. Thread-safe. */
public final class WakeUps {

  /** Between two early polls at least this long, so that a storm of retries is a few polls. */
  private static final long MIN_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private Instant earliest;
  private boolean closed;

  /** An event will be due at {@code due}. */
  public void at(Instant due) {
    lock.lock();
    try {
      if (earliest == null || due.isBefore(earliest)) {
        earliest = due;
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** There is something to fetch now. */
  public void now() {
    at(Instant.MIN);
  }

  /** Forgets what is known: a poll that begins now will see it. */
  public void clear() {
    lock.lock();
    try {
      earliest = null;
    } finally {
      lock.unlock();
    }
  }

  /** Ends all waiting, for good. */
  public void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for {@code nanos}, or until closed. */
  public void pause(long nanos) throws InterruptedException {
    lock.lock();
    try {
      while (!closed && nanos > 0) {
        nanos = changed.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Waits until an event is due, but no longer than {@code maxNanos}. */
  public void await(long maxNanos, EngineClock clock) throws InterruptedException {
    long start = System.nanoTime();
    lock.lock();
    try {
      while (!closed) {
        long waited = System.nanoTime() - start;
        long nanos = Math.min(maxNanos, nanosUntilDue(clock, waited)) - waited;
        if (nanos <= 0) {
          return;
        }
        changed.awaitNanos(nanos);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Counted from the start of the wait, like {@code waited}. */
  private long nanosUntilDue(EngineClock clock, long waited) {
    if (earliest == null) {
      return Long.MAX_VALUE;
    }
    Instant now = clock.now();
    if (!earliest.isAfter(now)) {
      return MIN_GAP_NANOS;
    }
    Duration left = Duration.between(now, earliest);
    if (left.compareTo(Duration.ofDays(1)) > 0) {
      return Long.MAX_VALUE;
    }
    // Rounded up: a wake-up before the event is due would be for nothing.
    return Math.max(MIN_GAP_NANOS, waited + left.toNanos() + 1_000_000);
  }
}
