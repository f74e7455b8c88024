package io.outbox.dispatch;

/** Says how long to wait before an event that failed is tried again. Thread-safe. */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * The delay before the next attempt.
   *
   * @param attempts the failures so far, from 1 on
   */
  long computeDelayMs(int attempts);
}
