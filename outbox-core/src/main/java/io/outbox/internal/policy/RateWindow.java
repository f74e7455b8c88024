package io.outbox.internal.policy;

import io.outbox.policy.ListenerPolicy.RateLimit;
import java.time.Duration;

/** Remembers when the last calls started. Not thread-safe. */
final class RateWindow {

  private final long[] starts; // a ring
  private final long periodNanos;
  private int next; // the oldest, once all are used
  private boolean used;

  RateWindow(RateLimit limit) {
    this.starts = new long[limit.events()];
    this.periodNanos = limit.period().toNanos();
  }

  /** For people. */
  @Override
  public String toString() {
    return starts.length + " in " + Duration.ofNanos(periodNanos);
  }

  /** Whether a call may start now; if so, it counts. */
  boolean tryStart(long now) {
    if (nanosLeft(now) > 0) {
      return false;
    }
    starts[next] = now;
    next = (next + 1) % starts.length;
    used |= next == 0;
    return true;
  }

  /** How long until a call may start. */
  long nanosLeft(long now) {
    return used ? Math.max(0, starts[next] + periodNanos - now) : 0;
  }
}
