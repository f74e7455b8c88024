package io.outbox.relay;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.outbox.operate.Condition;
import io.outbox.operate.ListenerOutage;
import io.outbox.spi.Backlog;
import io.outbox.spi.Member;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Whether the relay is alive and delivers. Thread-safe. */
final class HealthCheck {

  /**
   * What was found.
   *
   * @param ready whether everything is as it should be
   */
  record Result(boolean ready, JsonObject details) {}

  private static final Logger LOG = PrintableLogger.of(HealthCheck.class);

  private final List<RelayTable> tables;
  private final HealthConfig limits;
  private final SharedLook<Result> results =
      new SharedLook<>(this::look, this::unknown, System::nanoTime);

  HealthCheck(List<RelayTable> tables, HealthConfig limits) {
    this.tables = List.copyOf(tables);
    this.limits = limits;
  }

  /** Whether it should be left running: a restart would help if not. */
  boolean isLive() {
    return tables.stream().allMatch(RelayTable::isRunning);
  }

  /** Of at most 10 seconds ago; a database that hangs keeps one caller waiting, and no more. */
  Result check() {
    return results.get();
  }

  private Result unknown() {
    return result(false, new JsonObject());
  }

  private Result look() {
    JsonObject ofTables = new JsonObject();
    boolean ready = true;
    for (RelayTable table : tables) {
      Result result = look(table);
      ofTables.add(table.config().name(), result.details());
      ready &= result.ready();
    }
    return result(ready, ofTables);
  }

  private Result result(boolean ready, JsonObject ofTables) {
    JsonObject details = new JsonObject();
    details.addProperty("status", ready ? "UP" : "DOWN");
    details.addProperty("live", isLive());
    details.addProperty("ready", ready);
    details.add("tables", ofTables);
    return new Result(ready, details);
  }

  private Result look(RelayTable table) {
    JsonObject details = new JsonObject();
    int brokersDown = table.brokersDown();
    List<Condition> conditions = table.conditions();
    boolean ready =
        table.isRunning()
            && brokersDown == 0
            && conditions.stream().noneMatch(condition -> condition.kind().isFailure());
    details.addProperty("running", table.isRunning());
    details.addProperty("brokersDown", brokersDown);
    details.addProperty("destinationsMissing", table.destinationsMissing());
    if (!conditions.isEmpty()) {
      JsonArray kinds = new JsonArray(); // their messages name nodes; those are in the log
      conditions.forEach(condition -> kinds.add(condition.kind().name()));
      details.add("conditions", kinds);
    }
    try {
      ready &= lookIntoTable(table, details);
      details.addProperty("database", "reachable");
    } catch (SQLException | RuntimeException e) {
      // not the reason: the client need not know of our databases
      LOG.log(
          Level.WARNING, () -> table.config() + " cannot be looked into: " + Failures.reason(e));
      details.addProperty("database", "unreachable");
      ready = false;
    }
    return new Result(ready, details);
  }

  private boolean lookIntoTable(RelayTable table, JsonObject details) throws SQLException {
    try (Connection connection = table.dataSource().getConnection()) {
      Instant now = table.store().currentTime(connection).orElseGet(Instant::now);
      Optional<Backlog> backlog = table.store().backlog(connection, limits.countUpTo());
      if (table.brokersDown() + table.destinationsMissing() > 0) {
        describeOutages(table, connection, details);
      }
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      if (backlog.isEmpty()) {
        return true;
      }
      Duration lag = lag(backlog.get(), now);
      details.addProperty("pending", backlog.get().pending());
      details.addProperty("dead", backlog.get().dead());
      details.addProperty("countedUpTo", backlog.get().cap());
      details.addProperty("lagMs", lag.toMillis());
      limits.describe(details);
      return limits.allow(lag, backlog.get().dead());
    }
  }

  /** Which brokers, of all relays on the table; why is in the log and in {@code outbox status}. */
  private static void describeOutages(RelayTable table, Connection connection, JsonObject details) {
    List<Member> relays =
        table.store().operator().map(store -> store.members(connection)).orElse(List.of());
    JsonArray outages = new JsonArray();
    for (ListenerOutage outage : ListenerOutage.of(relays)) {
      JsonObject described = new JsonObject();
      described.addProperty("broker", outage.listener());
      described.addProperty("of", outage.destination() == null ? "broker" : "destination");
      described.addProperty("since", outage.since().toString());
      outages.add(described);
    }
    details.add("outages", outages);
  }

  private static Duration lag(Backlog backlog, Instant now) {
    Instant oldest = backlog.oldestWaiting();
    return oldest == null || oldest.isAfter(now) ? Duration.ZERO : Duration.between(oldest, now);
  }
}
