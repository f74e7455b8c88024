package io.outbox.internal.call;

import java.util.concurrent.TimeUnit;

/**
 * Lets one suspected event start while nothing else starts, and nothing else runs but what has been
 * running for some time without harm. If it has not killed the process within a few seconds, the
 * others go on beside it. Thread-safe.
 */
public final class SoloStart {

  private static final long SOLO_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final long STEP_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final long soloNanos;
  private int running;
  private int favored; // suspects that wait, and for which newcomers wait
  private Object soloist;
  private long soloSince;
  private long favorFrom = System.nanoTime();

  public SoloStart() {
    this(SOLO_NANOS);
  }

  SoloStart(long soloNanos) {
    this.soloNanos = soloNanos;
  }

  synchronized void enter() throws InterruptedException {
    while (favored > 0 || isSolo()) {
      TimeUnit.NANOSECONDS.timedWait(this, favored > 0 ? STEP_NANOS : remaining());
    }
    running++;
  }

  /**
   * Waits until nothing runs, or only what has been running for {@code nanos}.
   *
   * @return false if this is not the time for it, and it should come again later
   */
  synchronized boolean tryEnterAlone(Object who, long nanos) throws InterruptedException {
    long start = System.nanoTime();
    // Under load something always runs, unless newcomers wait. But if that was in vain, a slow
    // listener must not hold up all the others again and again.
    boolean favor = start - favorFrom >= 0;
    if (!favor && running > 0) {
      return false;
    }
    favored += favor ? 1 : 0;
    try {
      while (running > 0) {
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          favorFrom = System.nanoTime() + PAUSE_NANOS;
          break;
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      if (isSolo()) {
        return false;
      }
      soloist = who;
      soloSince = System.nanoTime();
      running++;
      return true;
    } finally {
      favored -= favor ? 1 : 0;
      notifyAll();
    }
  }

  synchronized void leave() {
    running--;
    notifyAll();
  }

  synchronized void leaveAlone(Object who) {
    soloist = soloist == who ? null : soloist;
    leave();
  }

  private boolean isSolo() {
    return soloist != null && remaining() > 0;
  }

  private long remaining() {
    return soloSince + soloNanos - System.nanoTime();
  }
}
