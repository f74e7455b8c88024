package io.outbox.spring.boot.actuate;

import io.outbox.spring.boot.OutboxProperties;
import io.outbox.spring.boot.OutboxProperties.Mode;
import io.outbox.spring.boot.actuate.TableInspector.Finding;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Whether the outbox is well, for the health indicators of the versions of Spring Boot. */
final class HealthCheck {

  private final TableInspector table;
  private final Duration maxLag;
  private final Integer maxDead;

  HealthCheck(TableInspector table, OutboxProperties properties) {
    this.table = table;
    // Nobody delivers through us in that mode, so nothing is late.
    this.maxLag =
        properties.getMode() == Mode.WRITER_ONLY ? null : properties.getHealth().getMaxLag();
    this.maxDead = properties.getHealth().getMaxDead();
  }

  record Result(boolean up, Map<String, Object> details) {}

  Result run() throws SQLException {
    return table.inspect(cap()).map(this::judge).orElseGet(() -> new Result(true, Map.of()));
  }

  /** One more than may be dead, at least, or nobody would notice. */
  private int cap() {
    return maxDead == null || maxDead < TableInspector.CAP
        ? TableInspector.CAP
        : (int) Math.min(maxDead + 1L, Integer.MAX_VALUE);
  }

  private Result judge(Finding finding) {
    Map<String, Object> details = new LinkedHashMap<>();
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
    return new Result(!late && !tooManyDead, details);
  }
}
