package io.outbox;

import java.time.Duration;
import java.util.Objects;

/** What a listener wants done with the event it was given. */
public sealed interface DispatchResult
    permits DispatchResult.Done, DispatchResult.RetryAfter, DispatchResult.Dead {

  /** The event is finished. */
  static Done done() {
    return Done.INSTANCE;
  }

  /** Not yet: deliver again after {@code delay}, without counting an attempt. */
  static RetryAfter retryAfter(Duration delay) {
    return new RetryAfter(delay);
  }

  /** The event shall never be delivered again. */
  static Dead dead() {
    return new Dead(null);
  }

  /**
   * The event shall never be delivered again.
   *
   * @param reason stored as the event's error; may be null
   */
  static Dead dead(String reason) {
    return new Dead(reason);
  }

  /** See {@link DispatchResult#done()}. */
  record Done() implements DispatchResult {
    private static final Done INSTANCE = new Done();
  }

  /** See {@link DispatchResult#retryAfter(Duration)}. */
  record RetryAfter(Duration delay) implements DispatchResult {
    public RetryAfter {
      Objects.requireNonNull(delay, "delay");
      if (delay.isNegative()) {
        throw new IllegalArgumentException("delay must not be negative: " + delay);
      }
    }
  }

  /** See {@link DispatchResult#dead(String)}. */
  record Dead(String reason) implements DispatchResult {}
}
