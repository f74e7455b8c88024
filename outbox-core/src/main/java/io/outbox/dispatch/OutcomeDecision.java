package io.outbox.dispatch;

import io.outbox.DispatchResult;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventRef;
import io.outbox.model.Outcome;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;

/** Decides what a dispatch came to. A function of its arguments and the retry policy alone. */
final class OutcomeDecision {

  private static final Logger LOG = System.getLogger(OutcomeDecision.class.getName());

  /** No database stores an instant that is much further away. */
  private static final Duration MAX_DELAY = Duration.ofDays(3650);

  private static final Duration DELAY_OF_A_BROKEN_POLICY = Duration.ofMinutes(1);
  private static final int MAX_CAUSES = 10;

  private final int maxAttempts;
  private final RetryPolicy retryPolicy;
  private final boolean deleteOnDone;

  OutcomeDecision(int maxAttempts, RetryPolicy retryPolicy, boolean deleteOnDone) {
    this.maxAttempts = maxAttempts;
    this.retryPolicy = retryPolicy;
    this.deleteOnDone = deleteOnDone;
  }

  /** The listener returned. */
  Outcome ofResult(EventRef ref, int attempts, DispatchResult result, Instant now) {
    if (result instanceof DispatchResult.RetryAfter retry) {
      return Outcome.deferred(ref, attempts, later(now, retry.delay()));
    }
    if (result instanceof DispatchResult.Dead dead) {
      return Outcome.dead(ref, attempts, now, dead.reason());
    }
    return deleteOnDone ? Outcome.deleted(ref, attempts, now) : Outcome.done(ref, attempts, now);
  }

  /** The listener, an interceptor or the routing failed. */
  Outcome ofFailure(EventRef ref, int attempts, Throwable failure, Instant now) {
    String error = describe(failure);
    if (failure instanceof UnrecoverableException) {
      return Outcome.dead(ref, attempts, now, error);
    }
    int failures = attempts + 1;
    if (failures >= maxAttempts) {
      return Outcome.dead(ref, failures, now, error);
    }
    return Outcome.retry(ref, failures, later(now, delayOf(failure, failures)), error);
  }

  int maxAttempts() {
    return maxAttempts;
  }

  private Duration delayOf(Throwable failure, int failures) {
    try {
      return failure instanceof RetryAfterException known
          ? Objects.requireNonNull(known.retryAfter(), "retryAfter")
          : Duration.ofMillis(Math.max(0, retryPolicy.computeDelayMs(failures)));
    } catch (Throwable e) {
      // Whatever it is, the attempt counts: else the event would be delivered for ever.
      LOG.log(
          Level.WARNING,
          () ->
              "there is no delay for attempt "
                  + failures
                  + "; the event is retried in "
                  + DELAY_OF_A_BROKEN_POLICY,
          e);
      return DELAY_OF_A_BROKEN_POLICY;
    }
  }

  private static Instant later(Instant now, Duration delay) {
    return now.plus(delay.compareTo(MAX_DELAY) > 0 ? MAX_DELAY : delay);
  }

  /** The failure and its causes, without their stacks. */
  private static String describe(Throwable failure) {
    StringBuilder text = new StringBuilder();
    Throwable cause = failure;
    try {
      for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
        text.append(i == 0 ? "" : "\ncaused by: ").append(cause);
        cause = cause.getCause() == cause ? null : cause.getCause();
      }
    } catch (Throwable e) {
      String name = cause.getClass().getName();
      text.append(name).append(" (cannot be described: ").append(e.getClass()).append(')');
    }
    return text.toString();
  }
}
