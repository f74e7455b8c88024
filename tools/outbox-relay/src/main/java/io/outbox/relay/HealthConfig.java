package io.outbox.relay;

import com.google.gson.JsonObject;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;

/**
 * The section {@code health}: when a table is not ready.
 *
 * @param maxLag null for any
 * @param maxDead negative for any number
 */
record HealthConfig(Duration maxLag, int maxDead) {

  private static final int COUNT_UP_TO = 10_000;
  private static final int MOST_DEAD = 1_000_000;

  static HealthConfig read(Section section) {
    Values values = Values.of(section);
    HealthConfig read =
        new HealthConfig(
            values.duration("max-lag", null, Duration.ofMillis(1)),
            values.integer("max-dead", -1, 0, MOST_DEAD));
    section.done();
    return read;
  }

  /** Far enough to see one too many. */
  int countUpTo() {
    return Math.max(COUNT_UP_TO, maxDead + 1);
  }

  boolean allow(Duration lag, long dead) {
    return (maxLag == null || lag.compareTo(maxLag) <= 0) && (maxDead < 0 || dead <= maxDead);
  }

  void describe(JsonObject details) {
    if (maxLag != null) {
      details.addProperty("maxLagMs", maxLag.toMillis());
    }
    if (maxDead >= 0) {
      details.addProperty("maxDead", maxDead);
    }
  }
}
