package io.outbox.relay;

import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.outbox.relay.table.TableConfig;
import io.outbox.util.PrintableLogger;
import java.io.PrintWriter;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Reads outbox tables and publishes their events to brokers, by rules. Runs from {@link #start}
 * until {@link #close()}. Thread-safe.
 */
public final class Relay implements AutoCloseable {

  /** Everything went well. */
  public static final int OK = 0;

  /** The relay could not start: a database cannot be reached, or a table is missing or wrong. */
  public static final int FAILED = 1;

  /** The configuration is wrong. */
  public static final int INVALID_CONFIG = 2;

  private static final Logger LOG = PrintableLogger.of(Relay.class);

  private final Deque<AutoCloseable> opened = new ArrayDeque<>(); // the last one first
  private final List<RelayTable> tables = new ArrayList<>();
  private MonitoringServer monitoring; // null if there is none
  private boolean closed;

  private Relay() {}

  /**
   * Starts to deliver, and returns.
   *
   * @throws RelayStartException if a database or a table cannot be used
   */
  public static Relay start(RelayConfig config) throws RelayStartException {
    Objects.requireNonNull(config, "config");
    Relay relay = new Relay();
    try {
      relay.open(config);
      return relay;
    } catch (RelayStartException | RuntimeException e) {
      relay.close();
      throw e;
    }
  }

  private void open(RelayConfig config) throws RelayStartException {
    PrometheusMeterRegistry meters = meters();
    Pools pools = Pools.open(config);
    opened.push(pools);
    opened.push(this::closeMonitoring);
    opened.push(() -> Concurrently.close(tables));
    for (TableConfig table : config.tables()) {
      tables.add(RelayTable.open(config, table, pools.of(table), meters));
    }
    if (config.http().enabled()) {
      HealthCheck health = new HealthCheck(tables, config.health());
      monitoring = MonitoringServer.start(config.http(), health, meters);
    }
    describe(config);
    BrokerCheck.start(config.rules());
    for (RelayTable table : tables) {
      table.start();
    }
  }

  private void closeMonitoring() {
    if (monitoring != null) {
      monitoring.close();
    }
  }

  private PrometheusMeterRegistry meters() {
    PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    opened.push(meters::close);
    new JvmMemoryMetrics().bindTo(meters);
    JvmGcMetrics gc = new JvmGcMetrics();
    gc.bindTo(meters);
    opened.push(gc);
    return meters;
  }

  /** What is read, and what goes where. */
  private void describe(RelayConfig config) {
    for (RelayTable table : tables) {
      LOG.log(Level.INFO, () -> "reads " + table.config());
      table.rules().all().forEach(rule -> LOG.log(Level.INFO, () -> "  " + rule));
    }
    config
        .rules()
        .brokers()
        .forEach(
            broker ->
                LOG.log(Level.INFO, () -> "broker " + broker.name() + " is " + broker.place()));
    monitoringAddress()
        .ifPresent(address -> LOG.log(Level.INFO, () -> "health and metrics at " + address));
  }

  /** The address of health and metrics, if they are served. */
  public Optional<String> monitoringAddress() {
    return Optional.ofNullable(monitoring).map(MonitoringServer::address);
  }

  /**
   * The command {@code relay}: runs until SIGTERM or SIGINT, then closes. A dry run says what would
   * be published where, and changes nothing. Configures logging for the whole process.
   *
   * @param out the dry run's answer; errors and logs go to {@code System.err}
   * @return {@link #OK}, {@link #FAILED} or {@link #INVALID_CONFIG}
   */
  public static int run(Path config, boolean dryRun, PrintWriter out) {
    Objects.requireNonNull(config, "config");
    Objects.requireNonNull(out, "out");
    return new RelayCommand(System.err).run(config, dryRun, out);
  }

  /**
   * Ends delivery within the drain timeout and some seconds. Undelivered events wait in their
   * table.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    while (!opened.isEmpty()) {
      AutoCloseable next = opened.pop();
      try {
        next.close();
      } catch (Exception e) {
        LOG.log(Level.WARNING, () -> "could not be closed: " + e, e);
      }
    }
  }
}
