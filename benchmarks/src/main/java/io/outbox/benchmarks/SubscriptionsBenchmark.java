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
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.TestDatabase;
import java.io.PrintStream;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToDoubleFunction;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;

/**
 * Drains waiting events to one listener, and to subscriptions or beside a slow listener: events per
 * second until all their rows are finished. They take turns in one JVM, on a separate server; the
 * first round warms up.
 */
public final class SubscriptionsBenchmark {

  static final String USAGE =
      """
      Usage: ./outbox bench-subscriptions [option...]
        --events N           how many events wait (50000)
        --rounds N           how many rounds, besides the first one (5)
        --subscriptions N    how many subscriptions (3)
        --slow N             instead: one listener alone, and beside N events of a listener that
                             takes 10 s and has a bulkhead of one call
        --mode NAME          single-node, multi-node or ordered-by-key
        --database NAME      postgresql or mariadb
      """;

  /** Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private static final int POOL = 10;
  private static final int BATCH = 1_000;
  private static final Duration SLOWLY = Duration.ofSeconds(10);
  private static final String FAST = "OrderPlaced";
  private static final String SLOW = "ReportWanted";
  private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(180) + "\"}";

  private final PrintStream out;
  private int events = 50_000;
  private int rounds = 5;
  private int subscriptions = 3;
  private int slow; // 0: subscriptions are measured
  private String mode = "single-node";
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
      case "--slow" -> slow = Integer.parseInt(value);
      case "--mode" -> mode = value;
      case "--database" ->
          database = value.equals("mariadb") ? TestDatabase.MARIADB : TestDatabase.POSTGRES;
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  /** Who gets the events: a listener if there are no subscriptions, beside slow events. */
  private record Contestant(int subscriptions, int slow) {
    @Override
    public String toString() {
      if (subscriptions > 0) {
        return subscriptions + " subscriptions";
      }
      return slow > 0 ? "beside a slow listener" : "one listener";
    }
  }

  /** Of one drain: events per second, and microseconds of CPU time per event. */
  private record Figures(double rate, double cpu, MachineUse.Use use) {}

  private void run() throws Exception {
    LIBRARY_LOG.setLevel(Level.OFF);
    Contestant one = new Contestant(0, 0);
    Contestant other = slow > 0 ? new Contestant(0, slow) : new Contestant(subscriptions, 0);
    Map<Contestant, List<Figures>> figures = new HashMap<>();
    try (MeasuredServer server = MeasuredServer.start(database)) {
      out.println(server.description());
      for (int round = 0; round <= rounds; round++) {
        for (Contestant contestant : List.of(one, other)) {
          Figures drained = drain(server, contestant);
          print("round " + round + ", " + contestant, drained);
          if (round > 0) {
            figures.computeIfAbsent(contestant, any -> new ArrayList<>()).add(drained);
          }
        }
      }
    }
    report(figures.get(one), other, figures.get(other));
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

  private void report(List<Figures> one, Contestant other, List<Figures> several) {
    double rate = median(one, Figures::rate);
    double cpu = median(one, Figures::cpu);
    double severalRate = median(several, Figures::rate);
    double severalCpu = median(several, Figures::cpu);
    out.printf(
        Locale.ROOT,
        "medians: one listener %,.0f events/s and %.1f µs, %s %,.0f and %.1f: ratios %.2f and %.2f%n",
        rate,
        cpu,
        other,
        severalRate,
        severalCpu,
        severalRate / rate,
        cpu / severalCpu);
  }

  private static double median(List<Figures> all, ToDoubleFunction<Figures> figure) {
    return all.stream().mapToDouble(figure).sorted().toArray()[all.size() / 2];
  }

  private Figures drain(MeasuredServer server, Contestant contestant) throws Exception {
    MeasuredServer.Fresh fresh = server.fresh();
    try (HikariDataSource pool = new HikariDataSource()) {
      pool.setJdbcUrl(fresh.url());
      pool.setUsername(server.user());
      pool.setMaximumPoolSize(POOL);
      OutboxSchema.create(pool);
      if (mode.equals("ordered-by-key")) {
        OutboxSchema.createOrderedByKey(pool);
      }
      AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(pool);
      fill(pool, store, contestant.slow());
      AtomicInteger calls = new AtomicInteger();
      MachineUse machine = new MachineUse(server.pid(), 0);
      long started = System.nanoTime();
      try (Outbox outbox = start(pool, store, contestant.subscriptions(), calls)) {
        int expected = events * Math.max(1, contestant.subscriptions());
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

  private void fill(HikariDataSource pool, AbstractJdbcOutboxStore store, int slowEvents) {
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(pool), tx);
    Outbox writing = Outbox.writerOnly().txContext(tx).outboxStore(store).build();
    int slowPerBatch = (int) Math.ceil((double) slowEvents * BATCH / events);
    for (int i = 0; i < events; i += BATCH) {
      int first = i;
      transactions.run(
          transaction -> {
            writing.writer().writeAll(batch("Order", FAST, first, Math.min(BATCH, events - first)));
            if (slowPerBatch > 0) {
              writing.writer().writeAll(batch("Report", SLOW, first, slowPerBatch));
            }
          });
    }
  }

  private static List<EventEnvelope> batch(String aggregateType, String type, int first, int size) {
    return IntStream.range(first, first + size)
        .mapToObj(
            n ->
                EventEnvelope.builder(type)
                    .aggregateType(aggregateType)
                    .aggregateId(Integer.toString(n))
                    .payloadJson(PAYLOAD)
                    .build())
        .toList();
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
      registry.register("Order", FAST, listener);
    }
    for (int i = 1; i <= subscribed; i++) {
      registry.subscribe("Order", FAST, "listener-" + i, listener);
    }
    registry.register("Report", SLOW, bulkhead());
    return builder()
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new ThreadLocalTxContext())
        .outboxStore(store)
        .listenerRegistry(registry)
        .drainTimeoutMs(100) // nobody waits for the slow listener
        .build();
  }

  private static EventListener bulkhead() {
    return ListenerPolicy.builder()
        .concurrency(1)
        .build()
        .around(
            event -> {
              Thread.sleep(SLOWLY.toMillis());
              return DispatchResult.done();
            });
  }

  private Outbox.ConcurrentBuilder<?> builder() {
    return switch (mode) {
      case "single-node" -> Outbox.singleNode();
      case "multi-node" -> Outbox.multiNode().claimLocking(Duration.ofMinutes(5));
      case "ordered-by-key" -> Outbox.orderedByKey();
      default -> throw new IllegalArgumentException("unknown mode " + mode + "\n\n" + USAGE);
    };
  }

  private static boolean isPending(HikariDataSource pool) throws SQLException {
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT 1 FROM outbox_event WHERE status IN (0, 2) AND event_type = '"
                    + FAST
                    + "' LIMIT 1")) {
      return rows.next();
    }
  }
}
