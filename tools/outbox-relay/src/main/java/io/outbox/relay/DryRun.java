package io.outbox.relay;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.relay.broker.Broker;
import io.outbox.relay.broker.Target;
import io.outbox.relay.rule.Rule;
import io.outbox.relay.rule.Rules;
import io.outbox.relay.table.TableConfig;
import io.outbox.util.Printable;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** Says what a relay would publish where, for some of the events that are pending now. */
final class DryRun {

  /** So many of each table. */
  static final int SAMPLE = 20;

  private static final int MAX_PAYLOAD = 120;

  private final RelayConfig config;
  private final PrintWriter out;
  private final Map<Broker, Set<String>> destinations = new IdentityHashMap<>(); // of the sample

  DryRun(RelayConfig config, PrintWriter out) {
    this.config = config;
    this.out = out;
  }

  void run() throws RelayStartException {
    checkClients();
    try (Pools pools = Pools.openToRead(config)) {
      for (TableConfig table : config.tables()) {
        show(table);
        if (pools.isToBeCreated(table)) {
          line("  the table is missing, and is created when the relay starts");
        } else {
          showEvents(table, pools.of(table));
        }
      }
    }
    checkBrokers();
    out.flush();
  }

  /** Says what events would wait for. */
  private void checkBrokers() {
    line("");
    for (Broker broker : config.rules().brokers()) {
      List<String> problems =
          BrokerCheck.problems(broker, config.rules(), destinations.getOrDefault(broker, Set.of()));
      problems.forEach(problem -> line("broker " + broker.name() + " " + problem));
      if (problems.isEmpty()) {
        line("broker " + broker.name() + " answers, and no checked destination is missing");
      }
    }
  }

  /** Whether they take their settings; whether their brokers are there is seen at the end. */
  private void checkClients() throws RelayStartException {
    for (Broker broker : config.rules().brokers()) {
      line("broker " + broker.name() + " is " + broker.place());
      try {
        broker.open(event -> config.rules().of(event).target()).close();
      } catch (RuntimeException e) {
        throw Failures.at(
            config, broker.at(), "its client refuses its settings: " + Failures.reason(e));
      }
    }
  }

  private void show(TableConfig table) {
    line("");
    line(table.toString());
    config.rules().ofTable(table.name()).all().forEach(rule -> line("  " + rule));
  }

  private void showEvents(TableConfig table, DataSource dataSource) throws RelayStartException {
    List<OutboxEvent> pending;
    try {
      pending = pending(table, dataSource);
    } catch (SQLException | RuntimeException e) {
      throw Failures.at(config, table.at(), "its events cannot be read: " + Failures.reason(e));
    }
    line(
        pending.size() < SAMPLE
            ? "  pending and due: " + pending.size()
            : "  the oldest " + SAMPLE + " events that are pending and due:");
    Rules rules = config.rules().ofTable(table.name());
    pending.forEach(event -> show(event, rules));
  }

  /** Reads without a lease, in a transaction that changes nothing. */
  private static List<OutboxEvent> pending(TableConfig table, DataSource dataSource)
      throws SQLException {
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource, table.tableName());
    try (Connection connection = dataSource.getConnection()) {
      boolean autoCommit = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        Instant now = store.currentTime(connection).orElseGet(Instant::now);
        return store.pollPending(connection, now, Duration.ZERO, SAMPLE);
      } finally {
        connection.rollback();
        connection.setAutoCommit(autoCommit);
      }
    }
  }

  private void show(OutboxEvent row, Rules rules) {
    try {
      EventEnvelope event = EventEnvelope.fromRow(row);
      Rule rule = rules.of(event);
      line(
          "    %s  %s%s"
              .formatted(
                  event.eventId(),
                  EventRoute.of(event),
                  event.tenantId() == null ? "" : ", tenant " + event.tenantId()));
      line("      -> " + destination(rule, event) + "  [" + rule.name() + "]");
      line("      " + payload(event));
    } catch (RuntimeException e) {
      line("    " + row.eventId() + "  cannot be read, and would be DEAD: " + e.getMessage());
    }
  }

  private String destination(Rule rule, EventEnvelope event) {
    if (rule.action() != Rule.Action.PUBLISH) {
      return rule.outcome();
    }
    Target target = rule.target();
    try {
      String destination = target.destination().of(event);
      destinations.computeIfAbsent(target.broker(), any -> new LinkedHashSet<>()).add(destination);
      return target.broker().name()
          + " "
          + target.broker().noun()
          + " "
          + destination
          + key(target, event);
    } catch (RuntimeException e) {
      return "DEAD: " + e.getMessage();
    }
  }

  private static String key(Target target, EventEnvelope event) {
    String routingKey = target.broker().routingKey(target, event);
    if (routingKey != null) {
      return ", routing key " + routingKey;
    }
    String key = event.partitionKeyOrDefault();
    return key == null ? "" : ", key " + key;
  }

  private static String payload(EventEnvelope event) {
    if (event.payloadJson() == null) {
      return event.payloadBytes().length + " bytes of " + event.contentType();
    }
    String text = event.payloadJson();
    int bytes = text.getBytes(StandardCharsets.UTF_8).length;
    return text.length() <= MAX_PAYLOAD
        ? text
        : text.substring(0, MAX_PAYLOAD) + "… (" + bytes + " bytes)";
  }

  /** Events are not trusted: their control characters would speak to the terminal. */
  private void line(String text) {
    out.println(Printable.line(config.secrets().redact(text)));
  }
}
