package io.outbox.internal.breaker;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * When events that could not be called are read again: soon if they are few, and no more than
 * {@value #PER_SECOND} in a second if they are many. Of more than fit into the longest wait, each
 * has a place at random in its last part, so that they do not come all at once. Thread-safe.
 */
public final class ReturnPace {

  /** Each of them is claimed and written once more. */
  static final int PER_SECOND = 250;

  /** The longest that an event waits which was not called. */
  static final long LONGEST_WAIT_NANOS = TimeUnit.MINUTES.toNanos(5);

  private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1) / PER_SECOND;

  private final LongSupplier nanoTime;
  private long takenUntilNanos;

  public ReturnPace(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.takenUntilNanos = nanoTime.getAsLong();
  }

  /** How long the next event should wait for its place among those that return. */
  public synchronized long nextNanos() {
    long now = nanoTime.getAsLong();
    long wait = Math.max(0, takenUntilNanos - now) + STEP_NANOS;
    if (wait > LONGEST_WAIT_NANOS) {
      return ThreadLocalRandom.current().nextLong(LONGEST_WAIT_NANOS / 2, LONGEST_WAIT_NANOS);
    }
    takenUntilNanos = now + wait;
    return wait;
  }
}
