package io.outbox;

import java.time.Duration;
import java.util.Objects;

/**
 * A failure with a delay before the next attempt. Unlike {@link
 * DispatchResult#retryAfter(Duration)} it counts as an attempt.
 */
public class RetryAfterException extends RecoverableException {

  private static final long serialVersionUID = 1L;

  private final Duration retryAfter;

  public RetryAfterException(Duration retryAfter) {
    this(retryAfter, "retry after " + retryAfter, null);
  }

  public RetryAfterException(Duration retryAfter, String message) {
    this(retryAfter, message, null);
  }

  public RetryAfterException(Duration retryAfter, Throwable cause) {
    this(retryAfter, cause == null ? "retry after " + retryAfter : cause.toString(), cause);
  }

  public RetryAfterException(Duration retryAfter, String message, Throwable cause) {
    super(message, cause);
    this.retryAfter = Objects.requireNonNull(retryAfter, "retryAfter");
    if (retryAfter.isNegative()) {
      throw new IllegalArgumentException("retryAfter must not be negative: " + retryAfter);
    }
  }

  public Duration retryAfter() {
    return retryAfter;
  }
}
