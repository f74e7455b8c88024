package io.outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.benchmarks.workload.MachineUse;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;

/**
 * Drains waiting events to one listener, and to subscriptions: events per second until all rows are
 * finished. They take turns in one JVM, on a separate server; the first round warms up.
 */
public final class SubscriptionsBenchmark {

  static final String USAGE =
      """
      Usage: ./outbox bench-subscriptions [option...]
        --events N           how many events wait (50000)
        --rounds N           how many rounds, besides the first one (5)
        --subscriptions N    how many subscriptions (3)
        --mode NAME          single-node or multi-node
        --database NAME      postgresql or mariadb
      """;

  /** Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private static final int POOL = 10;
  private static final int BATCH = 1_000;
  private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(180) + "\"}";

  private final PrintStream out;
  private int events = 50_000;
  private int rounds = 5;
  private int subscriptions = 3;
  private boolean multiNode;
  private TestDatabase database = TestDatabase.POSTGRES;

  private SubscriptionsBenchmark(PrintStream out) {
    this.out = out;
  }

  /** See {@link #USAGE}. */
  public static void main(String[] args) throws Exception {
    SubscriptionsBenchmark benchmark = new SubscriptionsBenchmark(System.out);
    OptionPairs.read(args, benchmark::set);
    benchmark.run();
    System.exit(0);
  }

  private void set(String option, String value) {
    switch (option) {
      case "--events" -> events = Integer.parseInt(value);
      case "--rounds" -> rounds = Integer.parseInt(value);
      case "--subscriptions" -> subscriptions = Integer.parseInt(value);
      case "--mode" -> multiNode = value.equals("multi-node");
      case "--database" ->
          database = value.equals("mariadb") ? TestDatabase.MARIADB : TestDatabase.POSTGRES;
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  /** Of one drain: events per second, and microseconds of CPU time per event. */
  private record Figures(double rate, double cpu, MachineUse.Use use) {}

  private void run() throws Exception {
    LIBRARY_LOG.setLevel(Level.OFF);
    Map<Integer, List<Figures>> figures = new TreeMap<>();
    try (MeasuredServer server = MeasuredServer.start(database)) {
      out.println(server.description());
      for (int round = 0; round <= rounds; round++) {
        for (int listeners : new int[] {0, subscriptions}) {
          Figures drained = drain(server, listeners);
          print("round " + round + ", " + name(listeners), drained);
          if (round > 0) {
            figures.computeIfAbsent(listeners, any -> new ArrayList<>()).add(drained);
          }
        }
      }
    }
    report(figures.get(0), figures.get(subscriptions));
  }

  private void print(String what, Figures drained) {
    out.printf(
        Locale.ROOT,
        "%s: %,.0f events/s, CPU of JVM and database %.1f + %.1f µs, others used %.0f %%%n",
        what,
        drained.rate(),
        drained.use().jvm() * 1e6 / events,
        drained.use().server() * 1e6 / events,
        100 * drained.use().othersShare());
  }

  private void report(List<Figures> one, List<Figures> several) {
    double rate = median(one, Figures::rate);
    double cpu = median(one, Figures::cpu);
    double severalRate = median(several, Figures::rate);
    double severalCpu = median(several, Figures::cpu);
    out.printf(
        Locale.ROOT,
        "medians: one listener %,.0f events/s and %.1f µs, %s %,.0f and %.1f: ratios %.2f and %.2f%n",
        rate,
        cpu,
        name(subscriptions),
        severalRate,
        severalCpu,
        severalRate / rate,
        cpu / severalCpu);
  }

  private static String name(int subscriptions) {
    return subscriptions == 0 ? "one listener" : subscriptions + " subscriptions";
  }

  private static double median(List<Figures> all, ToDoubleFunction<Figures> figure) {
    return all.stream().mapToDouble(figure).sorted().toArray()[all.size() / 2];
  }

  private Figures drain(MeasuredServer server, int subscribed) throws Exception {
    MeasuredServer.Fresh fresh = server.fresh();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(fresh.url());
      pool.setUsername(server.user());
      pool.setMaximumPoolSize(POOL);
      OutboxSchema.create(pool);
      AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(pool);
      fill(pool, store);
      AtomicInteger calls = new AtomicInteger();
      MachineUse machine = new MachineUse(server.pid(), 0);
      long started = System.nanoTime();
      try (Outbox outbox = start(pool, store, subscribed, calls)) {
        int expected = events * Math.max(1, subscribed);
        while (calls.get() < expected || isPending(pool)) {
          LockSupport.parkNanos(1_000_000);
        }
        double rate = events * 1e9 / (System.nanoTime() - started);
        MachineUse.Use use = machine.now();
        return new Figures(rate, (use.jvm() + use.server()) * 1e6 / events, use);
      }
    } finally {
      server.drop(fresh);
    }
  }

  private void fill(HikariDataSource pool, AbstractJdbcOutboxStore store) {
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(pool), tx);
    Outbox writing = Outbox.writerOnly().txContext(tx).outboxStore(store).build();
    for (int i = 0; i < events; i += BATCH) {
      List<EventEnvelope> batch =
          IntStream.range(i, Math.min(events, i + BATCH)).mapToObj(n -> event(n)).toList();
      transactions.run(transaction -> writing.writer().writeAll(batch));
    }
  }

  private static EventEnvelope event(int n) {
    return EventEnvelope.builder("OrderPlaced")
        .aggregateType("Order")
        .aggregateId(Integer.toString(n))
        .payloadJson(PAYLOAD)
        .build();
  }

  private Outbox start(
      HikariDataSource pool, AbstractJdbcOutboxStore store, int subscribed, AtomicInteger calls) {
    EventListener listener =
        event -> {
          calls.incrementAndGet();
          return DispatchResult.done();
        };
    DefaultListenerRegistry registry = new DefaultListenerRegistry();
    if (subscribed == 0) {
      registry.register("Order", "OrderPlaced", listener);
    }
    for (int i = 1; i <= subscribed; i++) {
      registry.subscribe("Order", "OrderPlaced", "listener-" + i, listener);
    }
    Outbox.DeliveringBuilder<?> builder =
        multiNode ? Outbox.multiNode().claimLocking(Duration.ofMinutes(5)) : Outbox.singleNode();
    return builder
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new ThreadLocalTxContext())
        .outboxStore(store)
        .listenerRegistry(registry)
        .build();
  }

  private static boolean isPending(HikariDataSource pool) throws SQLException {
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows =
            statement.executeQuery("SELECT 1 FROM outbox_event WHERE status IN (0, 2) LIMIT 1")) {
      return rows.next();
    }
  }
}
