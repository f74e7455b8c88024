package io.outbox.spring.boot.actuate;

import io.outbox.operate.Condition;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.actuate.TableInspector.Finding;
import io.outbox.wiring.Settings.Mode;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** Whether the outbox is well, for the health indicators of the versions of Spring Boot. */
final class HealthCheck {

  private final TableInspector table;
  private final Supplier<List<Condition>> conditions;
  private final Duration maxLag;
  private final Integer maxDead;

  HealthCheck(
      TableInspector table, Supplier<List<Condition>> conditions, OutboxProperties properties) {
    this.table = table;
    this.conditions = conditions;
    // Nobody delivers through us in that mode, so nothing is late.
    this.maxLag = properties.mode() == Mode.WRITER_ONLY ? null : properties.health().maxLag();
    this.maxDead = properties.health().maxDead();
  }

  record Result(boolean up, Map<String, Object> details) {}

  Result run() throws SQLException {
    List<Condition> now = conditions.get();
    Map<String, Object> details = new LinkedHashMap<>();
    boolean up = now.stream().noneMatch(condition -> condition.kind().isFailure());
    if (!now.isEmpty()) {
      details.put("conditions", now.stream().map(HealthCheck::describe).toList());
    }
    Optional<Finding> found = table.inspect(cap());
    if (found.isPresent()) {
      up &= judge(found.get(), details);
    }
    details.putAll(WaitDetails.of(table));
    return new Result(up, details);
  }

  private static Map<String, Object> describe(Condition condition) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("kind", condition.kind());
    described.put("since", condition.since().toString());
    described.put("message", condition.message());
    return described;
  }

  /** One more than may be dead, at least, or nobody would notice. */
  private int cap() {
    return maxDead == null || maxDead < TableInspector.CAP
        ? TableInspector.CAP
        : (int) Math.min(maxDead + 1L, Integer.MAX_VALUE);
  }

  private boolean judge(Finding finding, Map<String, Object> details) {
    details.put("pending", finding.backlog().pending());
    details.put("dead", finding.backlog().dead());
    details.put("countedUpTo", finding.backlog().cap());
    details.put("lagMs", finding.lag().toMillis());
    boolean late = maxLag != null && finding.lag().compareTo(maxLag) > 0;
    boolean tooManyDead = maxDead != null && finding.backlog().dead() > maxDead;
    if (late) {
      details.put("maxLagMs", maxLag.toMillis());
    }
    if (tooManyDead) {
      details.put("maxDead", maxDead);
    }
    return !late && !tooManyDead;
  }
}
