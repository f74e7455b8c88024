package io.outbox.dispatch;

import java.util.concurrent.TimeUnit;

/**
 * Lets one suspected event start while nothing else runs. If it has not killed the process within a
 * few seconds, the others go on beside it. Thread-safe.
 */
final class SoloGate {

  private static final long SOLO_NANOS = TimeUnit.SECONDS.toNanos(5);

  private int running;
  private boolean solo;
  private long soloSince;

  synchronized void enter() throws InterruptedException {
    while (solo && remaining() > 0) {
      TimeUnit.NANOSECONDS.timedWait(this, remaining());
    }
    running++;
  }

  /** Waits until nothing runs; false if that takes longer than {@code nanos}. */
  synchronized boolean tryEnterAlone(long nanos) throws InterruptedException {
    long deadline = System.nanoTime() + nanos;
    while (running > 0 || solo) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return false;
      }
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
    solo = true;
    soloSince = System.nanoTime();
    running++;
    return true;
  }

  synchronized void leave() {
    running--;
    notifyAll();
  }

  synchronized void leaveAlone() {
    solo = false;
    leave();
  }

  private long remaining() {
    return soloSince + SOLO_NANOS - System.nanoTime();
  }
}
