package io.outbox.quarkus.runtime;

import io.outbox.Outbox;
import io.outbox.operate.Condition;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.WaitReasons;
import io.outbox.spi.Backlog;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.util.PrintableLogger;
import io.outbox.wiring.Settings.Mode;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Whether the outbox is well; a bean only if there is SmallRye Health. */
@Readiness
@Singleton
public class OutboxHealthCheck implements HealthCheck {

  private static final Logger LOG = PrintableLogger.of(OutboxHealthCheck.class);

  /** Events of a status are usually counted up to here. */
  private static final int CAP = 10_000;

  private final OutboxDataSource dataSource;
  private final Instance<Outbox> outbox;
  private final Instance<OutboxStore> store;
  private final Instance<ConnectionProvider> connections;
  private final Optional<Duration> maxLag;
  private final Optional<Integer> maxDead;

  OutboxHealthCheck(
      OutboxDataSource dataSource,
      Instance<Outbox> outbox,
      Instance<OutboxStore> store,
      Instance<ConnectionProvider> connections,
      OutboxConfig config) {
    this.dataSource = dataSource;
    this.outbox = outbox;
    this.store = store;
    this.connections = connections;
    // Nobody delivers through us in that mode, so nothing is late.
    this.maxLag = config.mode() == Mode.WRITER_ONLY ? Optional.empty() : config.health().maxLag();
    this.maxDead = config.health().maxDead();
  }

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder response = HealthCheckResponse.named("Outbox health check");
    Optional<String> off = dataSource.whyOff();
    return off.isPresent() ? response.up().withData("off", off.get()).build() : examine(response);
  }

  private HealthCheckResponse examine(HealthCheckResponseBuilder response) {
    List<Condition> now = outbox.get().conditions();
    boolean up = now.stream().noneMatch(condition -> condition.kind().isFailure());
    if (!now.isEmpty()) {
      response.withData("conditions", describe(now));
    }
    try {
      Optional<Finding> found = inspect();
      addReasons(response);
      up &= found.isEmpty() || judge(found.get(), response);
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "the health check cannot read the outbox table", e);
      return response
          .down()
          .withData("error", "the outbox table cannot be read: " + e.getMessage())
          .build();
    }
    return response.status(up).build();
  }

  /** What is in the table, and the database's time. */
  private record Finding(Backlog backlog, Instant now) {

    /** How long the oldest event that is due has been waiting; zero if none is. */
    Duration lag() {
      Instant oldest = backlog.oldestWaiting();
      return oldest == null || oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now);
    }
  }

  private Optional<Finding> inspect() throws SQLException {
    try (Connection connection = connections.get().getConnection()) {
      try {
        Instant now = store.get().currentTime(connection).orElseGet(Instant::now);
        return store.get().backlog(connection, cap()).map(backlog -> new Finding(backlog, now));
      } finally {
        if (!connection.getAutoCommit()) {
          connection.rollback();
        }
      }
    }
  }

  private static String describe(List<Condition> conditions) {
    return conditions.stream()
        .map(condition -> condition.kind() + ": " + condition.message())
        .collect(Collectors.joining("; "));
  }

  private boolean judge(Finding found, HealthCheckResponseBuilder response) {
    Backlog backlog = found.backlog();
    response
        .withData("pending", backlog.pending())
        .withData("dead", backlog.dead())
        .withData("countedUpTo", backlog.cap())
        .withData("lagMs", found.lag().toMillis());
    boolean late = maxLag.filter(max -> found.lag().compareTo(max) > 0).isPresent();
    boolean tooManyDead = maxDead.filter(max -> backlog.dead() > max).isPresent();
    return !late && !tooManyDead;
  }

  /** One more than may be dead, at least, or nobody would notice. */
  private int cap() {
    return (int) Math.max(CAP, Math.min(maxDead.orElse(0) + 1L, Integer.MAX_VALUE));
  }

  /** Why events wait does not make the outbox unhealthy. */
  private void addReasons(HealthCheckResponseBuilder response) {
    if (store.get().operator().isPresent()) {
      WaitReasons reasons = OutboxOperator.of(connections.get(), store.get()).waitReasons();
      response
          .withData("outages", reasons.outages().size() + reasons.moreOutages())
          .withData("withoutListener", reasons.withoutListener().size())
          .withData("blockedKeys", reasons.blocks().size())
          .withData("pauses", reasons.pauses().size());
    }
  }
}
