package io.outbox;

import java.time.Duration;
import java.util.Objects;

/** What to do with an event after a listener call. */
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

  /** The event becomes DEAD and is not delivered again. */
  static Dead dead() {
    return new Dead(null);
  }

  /**
   * The event becomes DEAD and is not delivered again.
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
