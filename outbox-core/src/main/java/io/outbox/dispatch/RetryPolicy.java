package io.outbox.dispatch;

/** The delay before a failed event is retried. Thread-safe. */
@FunctionalInterface
public interface RetryPolicy {

  /**
   * The delay before the next attempt.
   *
   * @param attempts the failures so far, from 1 on
   */
  long computeDelayMs(int attempts);
}
