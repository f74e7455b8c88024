package io.outbox.internal.policy;

import java.util.concurrent.TimeUnit;

/**
 * How many events of a listener may wait in memory: about two seconds of its work, as it was while
 * some waited. A crash strands few of them, and the listener need not wait for the next poll. Not
 * thread-safe.
 */
final class RoomSize {

  static final int MOST = 1000;
  static final int FIRST_GUESS = 8;
  private static final long MEASURED_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final double AHEAD_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final int least;
  private int size;
  private long sinceNanos;
  private int ended;

  /**
   * @param least as many calls may run at a time
   */
  RoomSize(int least) {
    this.least = Math.min(least, MOST);
    this.size = Math.max(FIRST_GUESS, this.least);
  }

  int get() {
    return size;
  }

  /** From now on events wait. */
  void begin(long now) {
    sinceNanos = now;
    ended = 0;
  }

  /** It was full, and then empty before others came: the calls are faster than reads. */
  void grow() {
    size = Math.min(MOST, 2 * size);
  }

  /** A call has ended while others wait. */
  void ended(long now) {
    ended++;
    long nanos = now - sinceNanos;
    if (nanos >= MEASURED_NANOS) {
      size = (int) Math.max(least, Math.min(MOST, ended * AHEAD_NANOS / nanos));
      begin(now);
    }
  }
}
