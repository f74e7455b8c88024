package io.outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.benchmarks.workload.MachineUse;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
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
 * Drains waiting events from a plain table, and from one in partitions: events per second until all
 * rows are finished. They take turns in one JVM, on a separate server; the first round warms up.
 * With {@code --seconds} it looks at the growth of both tables instead, see {@link TableGrowth}.
 */
public final class PartitionsBenchmark {

  static final String USAGE =
      """
      Usage: ./outbox bench-partitions [option...]
        --events N           how many events wait (50000)
        --partitions N       how many partitions they are in (4)
        --rounds N           how many rounds, besides the first one (5)
        --mode NAME          single-node, multi-node or ordered-by-key, of 100 keys
        --seconds N          look at the growth of the tables for so long instead, one after the other
        --table NAME         plain, rotated or both (both); only with --seconds
        --rate N             how many events per second are written then (2000)
      """;

  /** Kept here so that it is not collected. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  private static final int POOL = 10;
  private static final int BATCH = 1_000;
  private static final int KEYS = 100;
  private static final String PAYLOAD = "{\"text\":\"" + "x".repeat(180) + "\"}";

  private final PrintStream out;
  private int events = 50_000;
  private int partitions = 4;
  private int rounds = 5;
  private String mode = "multi-node";
  private int seconds;
  private int rate = 2_000;
  private List<Boolean> tables = List.of(false, true);

  private PartitionsBenchmark(PrintStream out) {
    this.out = out;
  }

  /** See {@link #USAGE}. */
  public static void main(String[] args) throws Exception {
    PartitionsBenchmark benchmark = new PartitionsBenchmark(System.out);
    OptionPairs.read(args, benchmark::set);
    benchmark.run();
    System.exit(0);
  }

  private void set(String option, String value) {
    switch (option) {
      case "--events" -> events = Integer.parseInt(value);
      case "--partitions" -> partitions = Integer.parseInt(value);
      case "--rounds" -> rounds = Integer.parseInt(value);
      case "--mode" -> mode = value;
      case "--seconds" -> seconds = Integer.parseInt(value);
      case "--rate" -> rate = Integer.parseInt(value);
      case "--table" -> tables = rotated(value);
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  private static List<Boolean> rotated(String table) {
    return switch (table) {
      case "plain" -> List.of(false);
      case "rotated" -> List.of(true);
      case "both" -> List.of(false, true);
      default -> throw new IllegalArgumentException("no such table: " + table + "\n\n" + USAGE);
    };
  }

  /** Of one drain: events per second, and microseconds of CPU time per event. */
  private record Figures(double rate, double cpu, MachineUse.Use use) {}

  private void run() throws Exception {
    LIBRARY_LOG.setLevel(Level.OFF);
    try (MeasuredServer server = MeasuredServer.start(TestDatabase.POSTGRES)) {
      out.println(server.description());
      if (seconds > 0) {
        for (boolean rotated : tables) {
          grow(server, rotated);
        }
      } else {
        drain(server);
      }
    }
  }

  private void grow(MeasuredServer server, boolean rotated) throws Exception {
    MeasuredServer.Fresh fresh = server.fresh();
    try (HikariDataSource pool = pool(server, fresh)) {
      new TableGrowth(pool, server.pid(), rate, rotated, out).watch(seconds);
    } finally {
      server.drop(fresh);
    }
  }

  private void drain(MeasuredServer server) throws Exception {
    Map<Boolean, List<Figures>> figures = new TreeMap<>();
    for (int round = 0; round <= rounds; round++) {
      for (boolean rotated : new boolean[] {false, true}) {
        Figures drained = drain(server, rotated);
        out.printf(
            Locale.ROOT,
            "round %d, %s: %,.0f events/s, CPU of JVM and database %.1f + %.1f µs, others used %.0f %%%n",
            round,
            name(rotated),
            drained.rate(),
            drained.use().jvm() * 1e6 / events,
            drained.use().server() * 1e6 / events,
            100 * drained.use().othersShare());
        if (round > 0) {
          figures.computeIfAbsent(rotated, any -> new ArrayList<>()).add(drained);
        }
      }
    }
    double plain = median(figures.get(false), Figures::rate);
    double rotated = median(figures.get(true), Figures::rate);
    double plainCpu = median(figures.get(false), Figures::cpu);
    double rotatedCpu = median(figures.get(true), Figures::cpu);
    out.printf(
        Locale.ROOT,
        "medians, %s: plain %,.0f events/s and %.1f µs, %d partitions %,.0f and %.1f: ratios %.2f and %.2f%n",
        mode,
        plain,
        plainCpu,
        partitions,
        rotated,
        rotatedCpu,
        rotated / plain,
        plainCpu / rotatedCpu);
  }

  private static String name(boolean rotated) {
    return rotated ? "in partitions" : "plain";
  }

  private static double median(List<Figures> all, ToDoubleFunction<Figures> figure) {
    return all.stream().mapToDouble(figure).sorted().toArray()[all.size() / 2];
  }

  private static HikariDataSource pool(MeasuredServer server, MeasuredServer.Fresh fresh) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(fresh.url());
    pool.setUsername(server.user());
    pool.setMaximumPoolSize(POOL);
    return pool;
  }

  private Figures drain(MeasuredServer server, boolean rotated) throws Exception {
    MeasuredServer.Fresh fresh = server.fresh();
    try (HikariDataSource pool = pool(server, fresh)) {
      create(pool, rotated);
      fill(pool);
      AtomicInteger calls = new AtomicInteger();
      MachineUse machine = new MachineUse(server.pid(), 0);
      long started = System.nanoTime();
      try (Outbox outbox = start(pool, calls)) {
        while (calls.get() < events || isPending(pool)) {
          LockSupport.parkNanos(1_000_000);
        }
        double reached = events * 1e9 / (System.nanoTime() - started);
        MachineUse.Use use = machine.now();
        return new Figures(reached, (use.jvm() + use.server()) * 1e6 / events, use);
      }
    } finally {
      server.drop(fresh);
    }
  }

  private void create(HikariDataSource pool, boolean rotated) {
    if (rotated) {
      int size = Math.max(1_000, events / partitions);
      new PartitionRotation("outbox_event", size, partitions, Duration.ofSeconds(1)).create(pool);
    } else {
      OutboxSchema.create(pool);
    }
    if (mode.equals("ordered-by-key")) {
      OutboxSchema.createOrderedByKey(pool);
    }
  }

  private void fill(HikariDataSource pool) throws SQLException {
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    JdbcTransactionManager transactions =
        new JdbcTransactionManager(new DataSourceConnectionProvider(pool), tx);
    Outbox writing =
        Outbox.writerOnly().txContext(tx).outboxStore(JdbcOutboxStores.detect(pool)).build();
    for (int i = 0; i < events; i += BATCH) {
      List<EventEnvelope> batch =
          IntStream.range(i, Math.min(events, i + BATCH))
              .mapToObj(n -> event(n, Integer.toString(n % KEYS)))
              .toList();
      transactions.run(transaction -> writing.writer().writeAll(batch));
    }
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute("VACUUM ANALYZE");
      statement.execute("CHECKPOINT");
    }
  }

  static EventEnvelope event(int n, String key) {
    return EventEnvelope.builder("OrderPlaced")
        .aggregateType("Order")
        .aggregateId(Integer.toString(n))
        .orderingKey(key)
        .payloadJson(PAYLOAD)
        .build();
  }

  private Outbox start(HikariDataSource pool, AtomicInteger calls) {
    Outbox.AbstractBuilder<?> builder =
        switch (mode) {
          case "single-node" -> Outbox.singleNode();
          case "ordered-by-key" -> Outbox.orderedByKey();
          default -> Outbox.multiNode().claimLocking(Duration.ofMinutes(5));
        };
    return builder
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new ThreadLocalTxContext())
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(
            new DefaultListenerRegistry()
                .registerDefault(
                    event -> {
                      calls.incrementAndGet();
                      return DispatchResult.done();
                    }))
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
