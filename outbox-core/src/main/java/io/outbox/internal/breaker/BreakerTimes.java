package io.outbox.internal.breaker;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How long the circuit breakers of listeners and of destinations wait. */
public final class BreakerTimes {

  /** The pause before the first trial; each trial that fails doubles it. */
  public static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  /** A trial without an answer for so long is given up, and followed by another. */
  static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** What waits for the answer to a trial, or for one of a silent listener, looks again then. */
  static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** An event that comes back for its trial does not come too early. */
  static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  /** The longest that events of a missing destination are away if they are few. */
  static final long AWAY_NANOS = TimeUnit.SECONDS.toNanos(30);

  /** So long another event than those that failed is preferred for a trial. */
  static final long PREFERENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** An answer that came so recently shows that the listener is not down. */
  static final long RECENT_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** How long an event waits that failed while others did not. */
  static final Duration ALONE = Duration.ofSeconds(2);

  /** A trial may keep a worker for seconds: those of many destinations must not keep them all. */
  private static final long PER_DESTINATION_NANOS = TimeUnit.SECONDS.toNanos(2);

  private static final int MAX_DOUBLED = 10;

  private BreakerTimes() {}

  /** How long to wait for the next trial of a listener after so many failed ones. */
  static long pauseNanos(int failures) {
    return doubled(failures, LONGEST_PAUSE_NANOS);
  }

  /**
   * As {@link #pauseNanos(int)}, of a destination.
   *
   * @param destinations how many of them the listener misses
   */
  static long pauseNanos(int failures, int destinations) {
    long longest = Math.max(LONGEST_PAUSE_NANOS, destinations * PER_DESTINATION_NANOS);
    return doubled(failures, Math.min(longest, ReturnPace.LONGEST_WAIT_NANOS));
  }

  private static long doubled(int failures, long longest) {
    long pause = Math.min(FIRST_PAUSE_NANOS << Math.min(failures - 1, MAX_DOUBLED), longest);
    return pause - ThreadLocalRandom.current().nextLong(pause / 5);
  }
}
