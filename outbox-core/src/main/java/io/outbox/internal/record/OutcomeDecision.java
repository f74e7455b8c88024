package io.outbox.internal.record;

import io.outbox.DispatchResult;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.queue.Delivery.Tried;
import io.outbox.policy.ListenerPolicy;
import io.outbox.spi.Outcome;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Decides what a dispatch came to. A function of its arguments and the retry policy alone. */
public final class OutcomeDecision {

  private static final Logger LOG = PrintableLogger.of(OutcomeDecision.class);

  /** No database stores an instant that is much further away. */
  private static final Duration MAX_DELAY = Duration.ofDays(3650);

  private static final Duration DELAY_OF_A_BROKEN_POLICY = Duration.ofMinutes(1);
  private static final int MAX_CAUSES = 10;
  private static final int OWN_ATTEMPTS = 10;
  private static final RetryPolicy OWN_PACE = new ExponentialBackoffRetryPolicy(200, 60_000);

  /** What the class of an exception says about its retries. */
  private enum Retries {
    NEVER,
    AS_OFTEN_AS_OTHERS,
    ALWAYS
  }

  private static final Map<Class<?>, Retries> BY_DEFAULT =
      Map.of(UnrecoverableException.class, Retries.NEVER);

  private final int maxAttempts;
  private final Duration maxAge; // null: however old
  private final RetryPolicy retryPolicy;
  private final boolean deleteOnDone;
  private final Map<Class<?>, Retries> exceptions; // of these classes and what extends them

  /**
   * @param maxAge null for none
   */
  public OutcomeDecision(
      int maxAttempts, Duration maxAge, RetryPolicy retryPolicy, boolean deleteOnDone) {
    this(maxAttempts, maxAge, retryPolicy, deleteOnDone, BY_DEFAULT);
  }

  private OutcomeDecision(
      int maxAttempts,
      Duration maxAge,
      RetryPolicy retryPolicy,
      boolean deleteOnDone,
      Map<Class<?>, Retries> exceptions) {
    this.maxAttempts = maxAttempts;
    this.maxAge = maxAge;
    this.retryPolicy = retryPolicy;
    this.deleteOnDone = deleteOnDone;
    this.exceptions = exceptions;
  }

  /**
   * The same, but for what a policy says otherwise.
   *
   * @param oneAttempt whether a second attempt would break the order of events
   */
  public OutcomeDecision under(ListenerPolicy policy, boolean oneAttempt) {
    Map<Class<?>, Retries> known = new HashMap<>(exceptions);
    policy.neverRetried().forEach(type -> known.put(type, Retries.NEVER));
    if (!oneAttempt) {
      policy.alwaysRetried().forEach(type -> known.put(type, Retries.ALWAYS));
    }
    return new OutcomeDecision(
        oneAttempt ? 1 : policy.maxAttempts().orElse(maxAttempts),
        policy.maxAge().orElse(maxAge),
        policy.retryPolicy().orElse(retryPolicy),
        deleteOnDone,
        Map.copyOf(known));
  }

  /**
   * For what the engine itself does with events, whatever is set for listeners: it waits for its
   * database without an end, and gives up only what the database refuses again and again.
   *
   * @param oneAttempt whether a second attempt would break the order of events
   */
  public OutcomeDecision ofOwnWork(boolean oneAttempt) {
    int attempts = oneAttempt ? 1 : OWN_ATTEMPTS;
    return new OutcomeDecision(attempts, null, OWN_PACE, deleteOnDone);
  }

  /** The listener returned. */
  public Outcome ofResult(Tried event, DispatchResult result, Instant now) {
    if (result instanceof DispatchResult.RetryAfter retry) {
      return deferred(event, retry.delay(), now, "its listener asked for more time");
    }
    if (result instanceof DispatchResult.Dead dead) {
      return Outcome.dead(event.ref(), event.attempts(), now, dead.reason());
    }
    return deleteOnDone
        ? Outcome.deleted(event.ref(), event.attempts(), now)
        : Outcome.done(event.ref(), event.attempts(), now);
  }

  /** The listener, an interceptor or the routing failed. */
  public Outcome ofFailure(Tried event, Throwable failure, Instant now) {
    String error = describe(failure);
    Retries retries = retriesOf(failure);
    if (retries == Retries.NEVER) {
      return Outcome.dead(event.ref(), event.attempts(), now, error);
    }
    int failures = event.attempts() + 1;
    if (failures >= maxAttempts && retries != Retries.ALWAYS) {
      return Outcome.dead(event.ref(), failures, now, error);
    }
    if (isTooOld(event, now)) {
      return Outcome.dead(event.ref(), failures, now, tooOld(error));
    }
    Instant next = beforeItsEnd(event, later(now, delayOf(failure, failures)));
    return Outcome.retry(event.ref(), failures, next, error);
  }

  /** The nearest class that is known decides. */
  private Retries retriesOf(Throwable failure) {
    Retries retries = null;
    for (Class<?> type = failure.getClass();
        type != null && retries == null;
        type = type.getSuperclass()) {
      retries = exceptions.get(type);
    }
    return retries == null ? Retries.AS_OFTEN_AS_OTHERS : retries;
  }

  /** The destination of its listener is down, which does not count as an attempt. */
  public Outcome ofOutage(Tried event, Throwable outage, Duration pause, Instant now) {
    return deferred(event, pause, now, describe(outage));
  }

  private Outcome deferred(Tried event, Duration delay, Instant now, String why) {
    if (isTooOld(event, now)) {
      return Outcome.dead(event.ref(), event.attempts(), now, tooOld(why));
    }
    Instant next = beforeItsEnd(event, later(now, delay));
    return Outcome.deferred(event.ref(), event.attempts(), next);
  }

  private boolean isTooOld(Tried event, Instant now) {
    return maxAge != null && !now.isBefore(tooOldAt(event));
  }

  /** When its next attempt is its last; null if it may become however old. */
  public Instant tooOldAt(Tried event) {
    return maxAge == null ? null : event.bornAt().plus(maxAge);
  }

  /** The last attempt comes when the event is as old as it may be, not long after. */
  private Instant beforeItsEnd(Tried event, Instant next) {
    Instant end = tooOldAt(event);
    return end != null && next.isAfter(end) ? end : next;
  }

  private String tooOld(String why) {
    return "older than " + maxAge + " (maxAge), and tried for the last time: " + why;
  }

  public int maxAttempts() {
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
