package io.outbox.internal.time;

import io.outbox.internal.Guard;
import java.time.Duration;
import java.time.Instant;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Tells the poller when it has a reason to look before its interval is over. Thread-safe. */
public final class WakeUps {

  /** Between two early polls at least this long, so that a storm of retries is a few polls. */
  private static final long MIN_GAP_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final Duration LONGEST_WAIT = Duration.ofDays(1);
  private static final int MAX_KNOWN = 1000;

  private final Guard lock = new Guard();
  private final Condition changed = lock.newCondition();
  private final TreeSet<Instant> due = new TreeSet<>();
  private boolean closed;

  /** An event will be due at {@code instant}. */
  public void at(Instant instant) {
    try (Guard guard = lock.lock()) {
      due.add(instant);
      if (due.size() > MAX_KNOWN) {
        due.pollLast();
      }
      if (due.first().equals(instant)) {
        changed.signalAll();
      }
    }
  }

  /** There is something to fetch now. */
  public void now() {
    at(Instant.MIN);
  }

  /** Forgets what is due: a poll that begins now will see it. */
  public void clear(EngineClock clock) {
    try (Guard guard = lock.lock()) {
      due.headSet(clock.now(), true).clear();
    }
  }

  /** Ends all waiting, for good. */
  public void close() {
    try (Guard guard = lock.lock()) {
      closed = true;
      changed.signalAll();
    }
  }

  /** Waits for {@code nanos}, or until closed. */
  public void pause(long nanos) throws InterruptedException {
    try (Guard guard = lock.lock()) {
      while (!closed && nanos > 0) {
        nanos = changed.awaitNanos(nanos);
      }
    }
  }

  /** Waits until an event is due, but no longer than {@code maxNanos}. */
  public void await(long maxNanos, EngineClock clock) throws InterruptedException {
    long start = System.nanoTime();
    try (Guard guard = lock.lock()) {
      while (!closed) {
        long waited = System.nanoTime() - start;
        long nanos = Math.min(maxNanos, nanosUntilDue(clock, waited)) - waited;
        if (nanos <= 0) {
          return;
        }
        changed.awaitNanos(nanos);
      }
    }
  }

  /** Counted from the start of the wait, like {@code waited}. */
  private long nanosUntilDue(EngineClock clock, long waited) {
    if (due.isEmpty()) {
      return Long.MAX_VALUE;
    }
    Instant now = clock.now();
    if (!due.first().isAfter(now)) {
      return MIN_GAP_NANOS;
    }
    Duration left = Duration.between(now, due.first());
    if (left.compareTo(LONGEST_WAIT) > 0) {
      left = LONGEST_WAIT;
    }
    // Rounded up: a wake-up before the event is due would be for nothing.
    return Math.max(MIN_GAP_NANOS, waited + left.toNanos() + 1_000_000);
  }
}
