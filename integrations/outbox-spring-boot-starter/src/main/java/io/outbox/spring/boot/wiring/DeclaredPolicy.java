package io.outbox.spring.boot.wiring;

import io.outbox.policy.ListenerPolicy;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.wiring.OutboxConfigurationException;
import java.time.Duration;
import java.util.function.Consumer;
import java.util.function.Function;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.util.StringUtils;

/** The policy that an annotation declares: that of a bean, and its own attributes, which count. */
public final class DeclaredPolicy {

  private DeclaredPolicy() {}

  /**
   * Null if the annotation says nothing of it.
   *
   * @param beans by name
   * @param where what is annotated, for messages
   */
  public static ListenerPolicy of(
      OutboxListener annotation, Function<String, ListenerPolicy> beans, String where) {
    if (!says(annotation)) {
      return null;
    }
    ListenerPolicy.Builder policy =
        StringUtils.hasText(annotation.policy())
            ? beans.apply(annotation.policy()).toBuilder()
            : ListenerPolicy.builder();
    try {
      return apply(annotation, policy).build();
    } catch (IllegalArgumentException e) {
      throw new OutboxConfigurationException(
          "The @OutboxListener on " + where + " has an invalid policy: " + e.getMessage() + ".",
          "Correct its attributes. A duration is written as 10s or PT10S, a rate limit as 100/1m.",
          e);
    }
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

  private static ListenerPolicy.Builder apply(
      OutboxListener annotation, ListenerPolicy.Builder policy) {
    if (annotation.maxAttempts() != 0) {
      policy.maxAttempts(annotation.maxAttempts());
    }
    if (annotation.concurrency() != 0) {
      policy.concurrency(annotation.concurrency());
    }
    duration(annotation.maxAge(), policy::maxAge);
    duration(annotation.timeout(), policy::timeout);
    rateLimit(annotation.rateLimit(), policy);
    return policy.retryNever(annotation.retryNever()).retryAlways(annotation.retryAlways());
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
}
