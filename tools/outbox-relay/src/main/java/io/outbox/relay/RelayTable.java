package io.outbox.relay;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.micrometer.MicrometerMetricsExporter;
import io.outbox.operate.Condition;
import io.outbox.relay.broker.Broker;
import io.outbox.relay.broker.OpenBroker;
import io.outbox.relay.rule.RoutedListeners;
import io.outbox.relay.rule.Rule;
import io.outbox.relay.rule.Rules;
import io.outbox.relay.table.TableConfig;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** A table with its publishers, while it is read. Thread-safe once it is open. */
final class RelayTable implements AutoCloseable {

  private static final String TABLE = "table";

  private final RelayConfig config;
  private final TableConfig table;
  private final Rules rules;
  private final DataSource dataSource;
  private final MeterRegistry meters;
  private final Map<Broker, OpenBroker> brokers = new IdentityHashMap<>();
  private final Map<Rule, Counter> published = new IdentityHashMap<>();
  private AbstractJdbcOutboxStore store;
  private Outbox outbox;

  private RelayTable(
      RelayConfig config, TableConfig table, DataSource dataSource, MeterRegistry meters) {
    this.config = config;
    this.table = table;
    this.rules = config.rules().ofTable(table.name());
    this.dataSource = dataSource;
    this.meters = meters;
  }

  /** Opens its brokers and builds its outbox, which does not deliver before it is started. */
  static RelayTable open(
      RelayConfig config, TableConfig table, DataSource dataSource, MeterRegistry meters)
      throws RelayStartException {
    RelayTable opened = new RelayTable(config, table, dataSource, meters);
    try {
      opened.openBrokers();
      opened.build();
      return opened;
    } catch (RelayStartException | RuntimeException e) {
      opened.close();
      throw e;
    }
  }

  private void openBrokers() throws RelayStartException {
    for (Broker broker : rules.brokers()) {
      try {
        brokers.put(broker, broker.open(event -> rules.of(event).target()));
      } catch (RuntimeException e) {
        throw Failures.at(
            config, broker.at(), "its client refuses its settings: " + Failures.reason(e));
      }
    }
    for (Rule rule : rules.all()) {
      published.put(
          rule,
          Counter.builder("outbox.relay.published")
              .description("Events that a broker has acknowledged, by the rule that took them")
              .tags(Tags.of(TABLE, table.name(), "rule", rule.name()))
              .register(meters));
    }
  }

  private void build() throws RelayStartException {
    try {
      store = JdbcOutboxStores.detect(dataSource, table.tableName());
      outbox =
          table
              .builder(store)
              .connectionProvider(new DataSourceConnectionProvider(dataSource))
              .txContext(new ThreadLocalTxContext())
              .listenerRegistry(new RoutedListeners(rules, this::counting))
              .metrics(
                  new MicrometerMetricsExporter(meters, "outbox", Tags.of(TABLE, table.name())))
              .onDead(this::dead)
              .autoStart(false)
              .build();
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  private RelayStartException failure(RuntimeException e) {
    return Failures.at(config, table.at(), "it cannot be read: " + e.getMessage());
  }

  private AsyncEventListener counting(Broker broker) {
    return new CountedPublisher(
        broker.name(),
        brokers.get(broker).publisher(),
        event -> published.get(rules.of(event)).increment());
  }

  private void dead(EventEnvelope event, String reason) {
    Rule rule = rules.of(event);
    if (rule.action() == Rule.Action.PUBLISH) {
      OpenBroker broker = brokers.get(rule.target().broker());
      if (broker.deadLetters() != null) {
        broker.deadLetters().accept(event, reason);
      }
    }
  }

  void start() throws RelayStartException {
    try {
      outbox.start();
    } catch (RuntimeException e) {
      throw failure(e);
    }
  }

  TableConfig config() {
    return table;
  }

  Rules rules() {
    return rules;
  }

  DataSource dataSource() {
    return dataSource;
  }

  AbstractJdbcOutboxStore store() {
    return store;
  }

  boolean isRunning() {
    return outbox.isRunning();
  }

  /** What its outbox has to say about itself. */
  List<Condition> conditions() {
    return outbox.conditions();
  }

  /** How many of its brokers are not tried now because they do not answer. */
  int brokersDown() {
    return (int)
        meters.get("outbox.listeners.unavailable").tag(TABLE, table.name()).gauge().value();
  }

  /** How many destinations of its brokers are missing. */
  int destinationsMissing() {
    return (int)
        meters.get("outbox.destinations.unavailable").tag(TABLE, table.name()).gauge().value();
  }

  @Override
  public void close() {
    if (outbox != null) {
      outbox.close();
    }
    brokers.values().forEach(OpenBroker::close);
  }
}
