package io.outbox.dispatch;

import io.outbox.internal.Checks;
import java.util.concurrent.ThreadLocalRandom;

/** Doubles the delay with each failure up to a maximum, and varies it by half either way. */
public final class ExponentialBackoffRetryPolicy implements RetryPolicy {

  private final long baseDelayMs;
  private final long maxDelayMs;

  public ExponentialBackoffRetryPolicy(long baseDelayMs, long maxDelayMs) {
    this.baseDelayMs = Checks.atLeast(1, "baseDelayMs", baseDelayMs);
    this.maxDelayMs = Checks.atLeast(baseDelayMs, "maxDelayMs", maxDelayMs);
  }

  @Override
  public long computeDelayMs(int attempts) {
    int doublings = Math.max(0, attempts - 1);
    long delay =
        doublings >= Long.numberOfLeadingZeros(baseDelayMs) - 1
            ? maxDelayMs
            : Math.min(maxDelayMs, baseDelayMs << doublings);
    return Math.round(delay * ThreadLocalRandom.current().nextDouble(0.5, 1.5));
  }
}
