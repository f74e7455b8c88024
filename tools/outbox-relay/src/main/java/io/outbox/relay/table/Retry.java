package io.outbox.relay.table;

import io.outbox.Outbox;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;

/**
 * The section {@code retry}.
 *
 * @param maxAge null for any
 */
record Retry(int maxAttempts, long baseDelayMs, long maxDelayMs, Duration maxAge) {

  static Retry read(Section section) {
    Values values = Values.of(section);
    long base = values.number("base-delay-ms", 200, 1, 86_400_000);
    long max = values.number("max-delay-ms", Math.max(60_000, base), 1, 86_400_000);
    if (max < base) {
      section.problem("max-delay-ms", "must not be below base-delay-ms, which is " + base);
      max = base;
    }
    Retry retry =
        new Retry(
            values.integer("max-attempts", 10, 1, Integer.MAX_VALUE),
            base,
            max,
            values.duration("max-age", null, Duration.ofMillis(1)));
    section.done();
    return retry;
  }

  void applyTo(Outbox.AbstractBuilder<?> builder) {
    if (maxAge != null) {
      builder.maxAge(maxAge);
    }
  }

  void applyTo(Outbox.ConcurrentBuilder<?> builder) {
    applyTo((Outbox.AbstractBuilder<?>) builder);
    builder
        .maxAttempts(maxAttempts)
        .retryPolicy(new ExponentialBackoffRetryPolicy(baseDelayMs, maxDelayMs));
  }
}
