package io.outbox.spring.boot.wiring;

import io.outbox.EventListener;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.model.EventRoute;
import io.outbox.policy.ListenerPolicy;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.spring.boot.OutboxProperties;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.Function;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/**
 * The policies of listeners: from a bean, from the attributes of the annotation, and from
 * properties, of which the last one that says something counts.
 */
public final class ListenerPolicies {

  private static final String PREFIX = "outbox.listeners";

  private final Map<String, OutboxProperties.Listener> properties;
  private final Function<String, ListenerPolicy> beans;
  private final Set<String> unused;

  /**
   * Finds policies in beans and properties.
   *
   * @param properties by event type, or by aggregate type, slash and event type
   * @param beans by name
   */
  public ListenerPolicies(
      Map<String, OutboxProperties.Listener> properties, Function<String, ListenerPolicy> beans) {
    this.properties = properties;
    this.beans = beans;
    this.unused = new TreeSet<>(properties.keySet());
  }

  /**
   * A listener under its policy; the same if it has none.
   *
   * @param annotation null for none
   * @param where what is annotated, for messages
   */
  public EventListener around(
      EventListener listener, ListenerAddress address, OutboxListener annotation, String where) {
    String key = keyOf(address);
    boolean annotated = annotation != null && says(annotation);
    if (!annotated && key == null) {
      return listener;
    }
    ListenerPolicy.Builder policy =
        annotated && StringUtils.hasText(annotation.policy())
            ? beans.apply(annotation.policy()).toBuilder()
            : ListenerPolicy.builder();
    if (annotated) {
      annotated(policy, annotation, where);
    }
    if (key != null) {
      unused.remove(key);
      configured(policy, PREFIX + "." + key, properties.get(key));
    }
    return policy.build().around(listener);
  }

  /** Null if the properties say nothing about it. */
  private String keyOf(ListenerAddress address) {
    String route = new EventRoute(address.aggregateType(), address.eventType()).toString();
    if (properties.containsKey(route)) {
      return route;
    }
    return properties.containsKey(address.eventType()) ? address.eventType() : null;
  }

  private static boolean says(OutboxListener annotation) {
    return annotation.maxAttempts() != 0
        || annotation.concurrency() != 0
        || annotation.retryNever().length > 0
        || annotation.retryAlways().length > 0
        || StringUtils.hasText(
            annotation.policy()
                + annotation.maxAge()
                + annotation.timeout()
                + annotation.rateLimit());
  }

  private static void annotated(
      ListenerPolicy.Builder policy, OutboxListener annotation, String where) {
    try {
      if (annotation.maxAttempts() != 0) {
        policy.maxAttempts(annotation.maxAttempts());
      }
      if (annotation.concurrency() != 0) {
        policy.concurrency(annotation.concurrency());
      }
      duration(annotation.maxAge(), policy::maxAge);
      duration(annotation.timeout(), policy::timeout);
      rateLimit(annotation.rateLimit(), policy);
      policy.retryNever(annotation.retryNever());
      policy.retryAlways(annotation.retryAlways());
    } catch (IllegalArgumentException e) {
      throw new OutboxConfigurationException(
          "The @OutboxListener on " + where + " has an invalid policy: " + e.getMessage() + ".",
          "Correct its attributes. A duration is written as 10s or PT10S, a rate limit as 100/1m.",
          e);
    }
  }

  private static void duration(String text, Consumer<Duration> setter) {
    if (StringUtils.hasText(text)) {
      setter.accept(DurationStyle.detectAndParse(text));
    }
  }

  private static void rateLimit(String text, ListenerPolicy.Builder policy) {
    if (StringUtils.hasText(text)) {
      int slash = text.indexOf('/');
      if (slash < 0) {
        throw new IllegalArgumentException("the rate limit '" + text + "' has no period");
      }
      policy.rateLimit(
          Integer.parseInt(text.substring(0, slash).trim()),
          DurationStyle.detectAndParse(text.substring(slash + 1).trim()));
    }
  }

  private static void configured(
      ListenerPolicy.Builder policy, String prefix, OutboxProperties.Listener from) {
    set(prefix + ".max-attempts", from.maxAttempts(), policy::maxAttempts);
    set(prefix + ".max-age", from.maxAge(), policy::maxAge);
    set(prefix + ".timeout", from.timeout(), policy::timeout);
    set(prefix + ".concurrency", from.concurrency(), policy::concurrency);
    set(
        prefix + ".rate-limit",
        from.rateLimit(),
        limit -> policy.rateLimit(limit.events(), limit.period()));
    set(
        prefix + ".retry",
        from.retry(),
        delays ->
            policy.retryPolicy(
                new ExponentialBackoffRetryPolicy(delays.baseDelayMs(), delays.maxDelayMs())));
    for (Class<? extends Throwable> exception : from.retryNever()) {
      set(prefix + ".retry-never", exception, type -> policy.retryNever(type));
    }
    for (Class<? extends Throwable> exception : from.retryAlways()) {
      set(prefix + ".retry-always", exception, type -> policy.retryAlways(type));
    }
  }

  private static <T> void set(String property, T value, Consumer<T> setter) {
    if (value != null) {
      try {
        setter.accept(value);
      } catch (IllegalArgumentException e) {
        throw OutboxBuilders.invalid(property, e);
      }
    }
  }

  /** Properties for listeners that do not exist are a mistake. */
  public void requireAllUsed() {
    if (!unused.isEmpty()) {
      throw new OutboxConfigurationException(
          "The properties "
              + PREFIX
              + "."
              + String.join(", " + PREFIX + ".", unused)
              + " are for no listener with @OutboxListener and for no BoundEventListener.",
          "Name the event type of a listener, or its aggregate type and event type as in "
              + PREFIX
              + ".[Order/OrderPlaced]. Put a ListenerPolicy around listeners that you register"
              + " yourself.");
    }
  }
}
