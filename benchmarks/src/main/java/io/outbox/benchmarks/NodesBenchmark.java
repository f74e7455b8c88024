package io.outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Latency across nodes in order by key: each node writes events of keys that any node may own.
 * Nodes are outboxes in one JVM, each with its own pool, on a separate server. Prints percentiles
 * from the commit to the listener over all events, and what idle nodes cost.
 */
public final class NodesBenchmark {

  static final String USAGE =
      """
      Usage: ./outbox bench-nodes [option...]
        --nodes N            how many nodes (3)
        --rate N             events per second, of all nodes together (90)
        --seconds N          how long to write (30)
        --idle N             how long to count what idle nodes do, in seconds (60)
        --database NAME      postgresql, mariadb, mysql (fetched by the Maven profile mysql) or h2
        --notifications off  without news of other nodes: events of their keys wait for the interval
      """;

  private static final int POOL = 10;
  private static final int KEYS = 1000;
  private static final int WARM_UP_SECONDS = 5;

  private final PrintStream out;
  private int nodeCount = 3;
  private int rate = 90;
  private int seconds = 30;
  private int idleSeconds = 60;
  private boolean notifications = true;
  private TestDatabase database = TestDatabase.POSTGRES;
  private final Map<String, Long> committed = new ConcurrentHashMap<>();
  private final Map<String, Long> delivered = new ConcurrentHashMap<>();
  private final AtomicInteger written = new AtomicInteger();
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();

  private NodesBenchmark(PrintStream out) {
    this.out = out;
  }

  /** See {@link #USAGE}. */
  public static void main(String[] args) throws Exception {
    NodesBenchmark benchmark = new NodesBenchmark(System.out);
    OptionPairs.read(args, benchmark::set);
    benchmark.run();
    System.exit(0);
  }

  private void set(String option, String value) {
    switch (option) {
      case "--nodes" -> nodeCount = number(option, value);
      case "--rate" -> rate = number(option, value);
      case "--seconds" -> seconds = number(option, value);
      case "--idle" -> idleSeconds = number(option, value);
      case "--notifications" -> notifications = !value.equals("off");
      case "--database" ->
          database =
              switch (value) {
                case "postgresql" -> TestDatabase.POSTGRES;
                case "mariadb" -> TestDatabase.MARIADB;
                case "mysql" -> TestDatabase.MYSQL;
                case "h2" -> TestDatabase.H2;
                default -> throw new IllegalArgumentException("unknown database " + value);
              };
      case "--help" -> throw new IllegalArgumentException(USAGE);
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  private static int number(String option, String value) {
    if (!value.matches("[1-9][0-9]{0,8}")) {
      throw new IllegalArgumentException(option + " needs a number greater than zero");
    }
    return Integer.parseInt(value);
  }

  private void run() throws Exception {
    List<Node> nodes = new ArrayList<>();
    try (MeasuredServer server = MeasuredServer.start(database)) {
      out.println(server.description());
      MeasuredServer.Fresh fresh = server.fresh();
      try (HikariDataSource own = pool(server, fresh, 2)) {
        OutboxSchema.create(own);
        OutboxSchema.createOrderedByKey(own);
        for (int i = 0; i < nodeCount; i++) {
          nodes.add(new Node(pool(server, fresh, POOL)));
        }
        awaitLanes(own);
        TimeUnit.SECONDS.sleep(WARM_UP_SECONDS);
        idle(own);
        write(nodes, WARM_UP_SECONDS);
        committed.clear();
        delivered.clear();
        write(nodes, seconds);
        report();
      } finally {
        nodes.forEach(Node::close);
      }
    }
  }

  private static HikariDataSource pool(
      MeasuredServer server, MeasuredServer.Fresh fresh, int size) {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(fresh.url());
    pool.setUsername(server.user());
    pool.setPassword("");
    pool.setMaximumPoolSize(size);
    return pool;
  }

  private final class Node {
    private final HikariDataSource pool;
    private final ThreadLocalTxContext tx = new ThreadLocalTxContext();
    private final JdbcTransactionManager transactions;
    private final Outbox outbox;

    Node(HikariDataSource pool) {
      this.pool = pool;
      DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
      transactions = new JdbcTransactionManager(connections, tx);
      Outbox.OrderedByKeyBuilder builder =
          Outbox.orderedByKey()
              .connectionProvider(connections)
              .txContext(tx)
              .outboxStore(JdbcOutboxStores.detect(pool))
              .listenerRegistry(
                  new DefaultListenerRegistry()
                      .registerDefault(
                          event -> {
                            delivered.put(event.eventId(), System.nanoTime());
                            return DispatchResult.done();
                          }));
      if (!notifications) {
        builder.notifications(false);
      }
      outbox = builder.build();
    }

    void write() {
      EventEnvelope event =
          EventEnvelope.builder("Measured")
              .orderingKey("key-" + ThreadLocalRandom.current().nextInt(KEYS))
              .payloadJson("{\"amount\":1}")
              .build();
      try (JdbcTransactionManager.Transaction transaction = transactions.begin()) {
        // First of all that is done after the commit.
        tx.afterCommit(() -> committed.put(event.eventId(), System.nanoTime()));
        outbox.writer().write(event);
        transaction.commit();
        written.incrementAndGet();
      } catch (RuntimeException e) {
        failures.add(e);
      }
    }

    void close() {
      outbox.close();
      pool.close();
    }
  }

  private void awaitLanes(HikariDataSource own) throws Exception {
    while (owners(own) < nodeCount) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
  }

  private static int owners(HikariDataSource own) throws SQLException {
    try (Connection conn = own.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row =
            statement.executeQuery("SELECT COUNT(DISTINCT owner) FROM outbox_event_lane")) {
      row.next();
      return row.getInt(1);
    }
  }

  private void idle(HikariDataSource own) throws Exception {
    IdleCost cost = new IdleCost(own, database);
    if (cost.unit().isEmpty()) {
      return;
    }
    out.printf(
        Locale.ROOT,
        "%d idle nodes together: %.1f %s per second, over %d s%n",
        nodeCount,
        cost.perSecond(idleSeconds),
        cost.unit(),
        idleSeconds);
  }

  private void write(List<Node> nodes, int duration) throws InterruptedException {
    ScheduledExecutorService writers = Executors.newScheduledThreadPool(nodes.size());
    long gap = 1_000_000_000L * nodes.size() / rate;
    for (int i = 0; i < nodes.size(); i++) {
      writers.scheduleAtFixedRate(
          nodes.get(i)::write, gap * i / nodes.size(), gap, TimeUnit.NANOSECONDS);
    }
    TimeUnit.SECONDS.sleep(duration);
    writers.shutdown();
    writers.awaitTermination(30, TimeUnit.SECONDS);
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (delivered.size() < committed.size() && System.nanoTime() < deadline) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
  }

  private void report() {
    double[] millis =
        committed.entrySet().stream()
            .filter(entry -> delivered.containsKey(entry.getKey()))
            .mapToDouble(entry -> (delivered.get(entry.getKey()) - entry.getValue()) / 1e6)
            .sorted()
            .toArray();
    out.printf(
        Locale.ROOT,
        "%d nodes in one JVM, notifications %s, %d events (%.0f per second), %d not delivered, %d"
            + " failed%n",
        nodeCount,
        notifications ? "at their default" : "off",
        committed.size(),
        committed.size() / (double) seconds,
        committed.size() - millis.length,
        failures.size());
    out.printf(
        Locale.ROOT,
        "commit to listener: p50 %.1f ms, p90 %.1f ms, p99 %.1f ms, max %.1f ms%n",
        percentile(millis, 0.5),
        percentile(millis, 0.9),
        percentile(millis, 0.99),
        Arrays.stream(millis).max().orElse(Double.NaN));
    failures.stream().limit(1).forEach(failure -> failure.printStackTrace(out));
  }

  private static double percentile(double[] sorted, double share) {
    return sorted.length == 0 ? Double.NaN : sorted[(int) (share * (sorted.length - 1))];
  }
}
