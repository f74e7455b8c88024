package io.outbox.micronaut;

import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import io.micronaut.health.HealthStatus;
import io.micronaut.management.endpoint.health.HealthEndpoint;
import io.micronaut.management.health.indicator.AbstractHealthIndicator;
import io.micronaut.management.health.indicator.HealthResult;
import io.outbox.Outbox;
import io.outbox.operate.Condition;
import io.outbox.spi.Backlog;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.wiring.Settings.Mode;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The health of the outbox: DOWN if it cannot work, or events wait or die beyond the limits. */
@Singleton
@Requires(classes = HealthEndpoint.class)
@Requires(beans = HealthEndpoint.class)
@Requires(property = OutboxConfiguration.PREFIX + ".enabled", notEquals = StringUtils.FALSE)
@Requires(property = "endpoints.health.outbox.enabled", notEquals = StringUtils.FALSE)
final class OutboxHealth extends AbstractHealthIndicator<Map<String, Object>> {

  /** Events of a status are usually counted up to here. */
  private static final int CAP = 10_000;

  private final Outbox outbox;
  private final OutboxStore store;
  private final ConnectionProvider connections;
  private final Duration maxLag;
  private final Integer maxDead;

  OutboxHealth(Outbox outbox, ChosenBeans beans, OutboxConfiguration configuration) {
    this.outbox = outbox;
    this.store = beans.get(OutboxStore.class);
    this.connections = beans.get(ConnectionProvider.class);
    // Nobody delivers through us in that mode, so nothing is late.
    this.maxLag = configuration.mode() == Mode.WRITER_ONLY ? null : configuration.health().maxLag();
    this.maxDead = configuration.health().maxDead();
  }

  @Override
  protected String getName() {
    return "outbox";
  }

  /** The status is part of {@link #getHealthResult()}: many threads may ask at the same time. */
  @Override
  protected Map<String, Object> getHealthInformation() {
    throw new UnsupportedOperationException("ask for the result");
  }

  @Override
  protected HealthResult getHealthResult() {
    HealthResult.Builder result = HealthResult.builder(getName());
    try {
      Map<String, Object> details = new LinkedHashMap<>();
      boolean up = judgeConditions(details) & judgeTable(details);
      return result.status(up ? HealthStatus.UP : HealthStatus.DOWN).details(details).build();
    } catch (SQLException | RuntimeException e) {
      return result.status(HealthStatus.DOWN).exception(e).build();
    }
  }

  private boolean judgeConditions(Map<String, Object> details) {
    List<Condition> conditions = outbox.conditions();
    if (!conditions.isEmpty()) {
      details.put("conditions", conditions.stream().map(OutboxHealth::describe).toList());
    }
    return conditions.stream().noneMatch(condition -> condition.kind().isFailure());
  }

  private static Map<String, Object> describe(Condition condition) {
    Map<String, Object> described = new LinkedHashMap<>();
    described.put("kind", condition.kind());
    described.put("since", condition.since().toString());
    described.put("message", condition.message());
    return described;
  }

  private boolean judgeTable(Map<String, Object> details) throws SQLException {
    try (Connection connection = connections.getConnection()) {
      try {
        Instant now = store.currentTime(connection).orElseGet(Instant::now);
        return store
            .backlog(connection, cap())
            .map(backlog -> judge(backlog, lag(backlog, now), details))
            .orElse(true);
      } finally {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }
  }

  private boolean judge(Backlog backlog, Duration lag, Map<String, Object> details) {
    details.put("pending", backlog.pending());
    details.put("dead", backlog.dead());
    details.put("countedUpTo", backlog.cap());
    details.put("lagMs", lag.toMillis());
    boolean late = maxLag != null && lag.compareTo(maxLag) > 0;
    boolean tooManyDead = maxDead != null && backlog.dead() > maxDead;
    if (late) {
      details.put("maxLagMs", maxLag.toMillis());
    }
    if (tooManyDead) {
      details.put("maxDead", maxDead);
    }
    return !late && !tooManyDead;
  }

  /** How long the oldest event that is due has been waiting; zero if none is. */
  private static Duration lag(Backlog backlog, Instant now) {
    Instant oldest = backlog.oldestWaiting();
    return oldest == null || oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now);
  }

  /** One more than may be dead, at least, or nobody would notice. */
  private int cap() {
    return maxDead == null || maxDead < CAP ? CAP : (int) Math.min(maxDead + 1L, Integer.MAX_VALUE);
  }
}
