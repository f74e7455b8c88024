package io.outbox.internal.lease;

import java.util.concurrent.TimeUnit;

/**
 * How many events to hold at most while they are leased: about two seconds of work, so that a crash
 * strands little. Thread-safe.
 */
public final class ClaimBudget {

  private static final double AHEAD_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final int FIRST_GUESS = 200;
  private static final double WEIGHT_OF_NEWEST = 0.1;

  private final int workers;
  private double averageNanos = -1;

  public ClaimBudget(int workers) {
    this.workers = workers;
  }

  /** A listener took this long. */
  public synchronized void served(long nanos) {
    averageNanos =
        averageNanos < 0 ? nanos : averageNanos + WEIGHT_OF_NEWEST * (nanos - averageNanos);
  }

  /**
   * How many more to claim. However much waits on the hot side, the cold side gets its turn.
   *
   * @param held what is in our hands, hot or cold
   * @param cold how much of it waits on the cold side
   */
  public int left(int held, int cold) {
    return Math.max(0, Math.max(size() - held, workers - cold));
  }

  private synchronized int size() {
    if (averageNanos < 0) {
      return Math.max(FIRST_GUESS, 2 * workers);
    }
    double events = workers * AHEAD_NANOS / Math.max(1, averageNanos);
    return (int) Math.max(2L * workers, Math.min(Integer.MAX_VALUE, events));
  }
}
