package io.outbox.policy;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.internal.Checks;
import io.outbox.internal.PolicedListener;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * Retries, limits and fallback of one listener. What it leaves open is as the outbox's settings
 * say.
 *
 * <pre>{@code
 * listeners.register("OrderPlaced", policy.around(listener));
 * }</pre>
 *
 * <p>Immutable. One policy may be put around many listeners. Limits count per call of {@link
 * #around}: what it returns has its own places and its own rate, also if it is registered for
 * several kinds of events.
 */
public final class ListenerPolicy {

  /** So many starts are remembered at most. */
  private static final int MAX_EVENTS_PER_PERIOD = 10_000;

  private final Builder values;

  /**
   * So many calls start within any period of this length, on one node.
   *
   * @param events at least 1, at most 10,000
   * @param period longer than zero
   */
  public record RateLimit(int events, Duration period) {

    public RateLimit {
      Checks.atLeast(1, "the number of events of a rate limit", events);
      if (events > MAX_EVENTS_PER_PERIOD) {
        throw new IllegalArgumentException(
            "a rate limit has at most "
                + MAX_EVENTS_PER_PERIOD
                + " events per period, not "
                + events
                + "; use fewer events in a shorter period");
      }
      Checks.positive("the period of a rate limit", period);
    }

    @Override
    public String toString() {
      return events + " per " + period;
    }
  }

  private ListenerPolicy(Builder from) {
    values = new Builder(from);
  }

  /** A policy that leaves everything to the outbox's settings, to begin with. */
  public static Builder builder() {
    return new Builder();
  }

  /** A builder that begins with this policy. */
  public Builder toBuilder() {
    return new Builder(values);
  }

  /**
   * The listener under this policy, to be registered in its place.
   *
   * @throws IllegalArgumentException if the listener has a policy
   */
  public EventListener around(EventListener listener) {
    Objects.requireNonNull(listener, "listener");
    if (listener instanceof PolicedListener policed) {
      throw new IllegalArgumentException(
          "the listener has a policy already: " + policed.policy() + "; put one around it");
    }
    return new PolicedListener(listener, this);
  }

  /** As {@link #around(EventListener)}, for a listener that answers later. */
  public EventListener aroundAsync(AsyncEventListener listener) {
    return around(Objects.requireNonNull(listener, "listener").asEventListener());
  }

  /** How often the listener is called for one event at most. */
  public OptionalInt maxAttempts() {
    return values.maxAttempts == 0 ? OptionalInt.empty() : OptionalInt.of(values.maxAttempts);
  }

  /** How old an event may become before it gets its last attempt. */
  public Optional<Duration> maxAge() {
    return Optional.ofNullable(values.maxAge);
  }

  /** How long a failed event waits. */
  public Optional<RetryPolicy> retryPolicy() {
    return Optional.ofNullable(values.retryPolicy);
  }

  /** Exceptions that make an event DEAD at once. */
  public Set<Class<? extends Throwable>> neverRetried() {
    return Collections.unmodifiableSet(values.never);
  }

  /** Exceptions that are retried however often they happen. */
  public Set<Class<? extends Throwable>> alwaysRetried() {
    return Collections.unmodifiableSet(values.always);
  }

  /** How long one call may take. */
  public Optional<Duration> timeout() {
    return Optional.ofNullable(values.timeout);
  }

  /** How many calls run at the same time at most, on one node. */
  public OptionalInt concurrency() {
    return values.concurrency == 0 ? OptionalInt.empty() : OptionalInt.of(values.concurrency);
  }

  /** How many calls start within a period at most, on one node. */
  public Optional<RateLimit> rateLimit() {
    return Optional.ofNullable(values.rateLimit);
  }

  /** What is told of dead events. */
  public Optional<BiConsumer<EventEnvelope, String>> fallback() {
    return Optional.ofNullable(values.fallback);
  }

  /** For people: only what is set. */
  @Override
  public String toString() {
    Builder set = values;
    return List.of(
            describe("maxAttempts", set.maxAttempts == 0 ? null : set.maxAttempts),
            describe("maxAge", set.maxAge),
            describe("retryPolicy", set.retryPolicy == null ? null : "own"),
            describe("retryNever", names(set.never)),
            describe("retryAlways", names(set.always)),
            describe("timeout", set.timeout),
            describe("concurrency", set.concurrency == 0 ? null : set.concurrency),
            describe("rateLimit", set.rateLimit),
            describe("fallback", set.fallback == null ? null : "yes"))
        .stream()
        .filter(text -> !text.isEmpty())
        .collect(Collectors.joining(", ", "ListenerPolicy[", "]"));
  }

  private static String describe(String what, Object value) {
    return value == null ? "" : what + "=" + value;
  }

  private static String names(Set<Class<? extends Throwable>> types) {
    return types.isEmpty()
        ? null
        : types.stream().map(Class::getSimpleName).sorted().collect(Collectors.joining("+"));
  }

  /** Collects a policy. Not thread-safe. */
  public static final class Builder {

    private int maxAttempts; // 0: as the settings say
    private Duration maxAge;
    private RetryPolicy retryPolicy;
    private final Set<Class<? extends Throwable>> never = new LinkedHashSet<>();
    private final Set<Class<? extends Throwable>> always = new LinkedHashSet<>();
    private Duration timeout;
    private int concurrency; // 0: any
    private RateLimit rateLimit;
    private BiConsumer<EventEnvelope, String> fallback;

    private Builder() {}

    private Builder(Builder from) {
      maxAttempts = from.maxAttempts;
      maxAge = from.maxAge;
      retryPolicy = from.retryPolicy;
      never.addAll(from.never);
      always.addAll(from.always);
      timeout = from.timeout;
      concurrency = from.concurrency;
      rateLimit = from.rateLimit;
      fallback = from.fallback;
    }

    /**
     * How often the listener is called for one event at most, at least once. In {@code ordered()}
     * every listener has one attempt.
     */
    public Builder maxAttempts(int value) {
      maxAttempts = Checks.atLeast(1, "maxAttempts", value);
      return this;
    }

    /** Once past this age, an event gets one last attempt; if that fails it becomes DEAD. */
    public Builder maxAge(Duration value) {
      maxAge = Checks.positive("maxAge", value);
      return this;
    }

    /** How long a failed event waits until its next attempt. */
    public Builder retryPolicy(RetryPolicy value) {
      retryPolicy = Objects.requireNonNull(value, "retryPolicy");
      return this;
    }

    /**
     * After such an exception, or a subclass of it, the event is DEAD at once, as after an {@link
     * io.outbox.UnrecoverableException}. If exceptions of both kinds match, the nearest class
     * decides.
     */
    @SafeVarargs
    public final Builder retryNever(Class<? extends Throwable>... exceptions) {
      for (Class<? extends Throwable> exception : exceptions) {
        add(never, always, exception);
      }
      return this;
    }

    /**
     * Such an exception, or a subclass of it, is retried whatever {@code maxAttempts} says, until
     * {@code maxAge} ends it. If exceptions of both kinds match, the nearest class decides.
     */
    @SafeVarargs
    public final Builder retryAlways(Class<? extends Throwable>... exceptions) {
      for (Class<? extends Throwable> exception : exceptions) {
        add(always, never, exception);
      }
      return this;
    }

    private static void add(
        Set<Class<? extends Throwable>> to,
        Set<Class<? extends Throwable>> other,
        Class<? extends Throwable> exception) {
      Objects.requireNonNull(exception, "exception");
      if (other.contains(exception)) {
        throw new IllegalArgumentException(
            exception.getName() + " cannot be retried both always and never");
      }
      to.add(exception);
    }

    /**
     * How long one call may take; in place of the setting {@code listenerTimeout}. Without effect
     * in {@code ordered()} and {@code orderedByKey()}, which could not keep the order.
     */
    public Builder timeout(Duration value) {
      timeout = Checks.positive("timeout", value);
      return this;
    }

    /**
     * How many calls run at the same time at most, on one node, so that a slow listener leaves
     * workers to others. Choose fewer than workers. Its other events wait, mostly in the table,
     * without an attempt counted. A call that is given up after its timeout counts no longer.
     */
    public Builder concurrency(int calls) {
      concurrency = Checks.atLeast(1, "concurrency", calls);
      return this;
    }

    /**
     * How many calls start within any period of this length at most, on one node. Other events
     * wait, mostly in the table, without an attempt counted.
     */
    public Builder rateLimit(int events, Duration period) {
      rateLimit = new RateLimit(events, period);
      return this;
    }

    /**
     * Called with each event of this listener that has become DEAD, and the reason, beside the
     * outbox's {@code onDead} and in the same way: after the event is DEAD in the table, on another
     * thread, and not if the process ends before.
     */
    public Builder fallback(BiConsumer<EventEnvelope, String> value) {
      fallback = Objects.requireNonNull(value, "fallback");
      return this;
    }

    /** Later changes of this builder do not affect the policy. */
    public ListenerPolicy build() {
      return new ListenerPolicy(this);
    }
  }
}
