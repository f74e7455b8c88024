package io.outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.benchmarks.contestant.Contestant;
import io.outbox.benchmarks.contestant.Entry;
import io.outbox.benchmarks.contestant.Setup;
import io.outbox.benchmarks.processes.Node;
import io.outbox.benchmarks.workload.MachineUse;
import io.outbox.testdb.TestDatabase;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One backlog, drained by one node process or by several together. Nodes stay in their JVMs, which
 * drain backlogs before, alone and together, until little is left to compile. Prints rates, CPU
 * time per event, duplicates, and what idle nodes cost.
 */
public final class ProcessesBenchmark {

  static final String USAGE =
      """
      Usage: ./outbox bench-processes [option...]
        --processes A,B      how many nodes drain together (1,2,4,8)
        --contestant NAME    multi-node (the default), ordered-by-key, ordered-by-many-keys
        --database NAME      postgres, mariadb or mysql (fetched by the Maven profile mysql)
        --rounds N           how often each number is measured (3)
        --events N           how many events wait (100000)
        --warm-up N          how many each node drains at a time to warm up (50000)
        --limit N            after how many seconds a drain is stopped (60)
        --idle N             how long to count what idle nodes do, in seconds (30)
      """;

  private static final int BYTES = 200;
  private static final int MOST_WARM_UPS = 6;
  private static final long COMPILED_MILLIS = 250;

  private final PrintStream out;
  private final Map<Integer, Drains> measured = new TreeMap<>();
  private final List<Node> nodes = new ArrayList<>();
  private List<Integer> counts = List.of(1, 2, 4, 8);
  private Entry entry = Entry.MULTI_NODE;
  private TestDatabase database = TestDatabase.POSTGRES;
  private int rounds = 3;
  private int events = 100_000;
  private int warmUp = 50_000;
  private int limitSeconds = 60;
  private int idleSeconds = 30;
  private MeasuredServer server;

  /** All drains by one number of nodes. */
  private static final class Drains {
    final Samples rate = new Samples();
    final Samples jvm = new Samples();
    final Samples database = new Samples();
    final Samples others = new Samples();
    long duplicates;
    long missing;
  }

  private ProcessesBenchmark(PrintStream out) {
    this.out = out;
  }

  /** See {@link #USAGE}. */
  public static void main(String[] args) throws Exception {
    ProcessesBenchmark benchmark = new ProcessesBenchmark(System.out);
    OptionPairs.read(args, benchmark::set);
    benchmark.run();
    System.exit(0);
  }

  private void set(String option, String value) {
    switch (option) {
      case "--processes" ->
          counts = Arrays.stream(value.split(",")).map(n -> number(option, n)).toList();
      case "--contestant" -> entry = entry(value);
      case "--database" -> database = BenchmarkOptions.database(value);
      case "--rounds" -> rounds = number(option, value);
      case "--events" -> events = number(option, value);
      case "--warm-up" -> warmUp = number(option, value);
      case "--limit" -> limitSeconds = number(option, value);
      case "--idle" -> idleSeconds = number(option, value);
      case "--help" -> throw new IllegalArgumentException(USAGE);
      default -> throw new IllegalArgumentException("unknown option " + option + "\n\n" + USAGE);
    }
  }

  private static Entry entry(String name) {
    return Arrays.stream(Entry.values())
        .filter(one -> one.key().equals(name))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no contestant " + name));
  }

  private static int number(String option, String value) {
    return BenchmarkOptions.number(option, value);
  }

  private void run() throws Exception {
    if (database == TestDatabase.H2) {
      throw new IllegalArgumentException("H2 has no separate server for several processes");
    }
    try (MeasuredServer started = MeasuredServer.start(database)) {
      server = started;
      out.println(server.description());
      try {
        warmUp();
        for (int round = 1; round <= rounds; round++) {
          for (int count : counts) {
            drain(nodes.subList(0, count), events, round);
          }
        }
        report();
        idle();
      } finally {
        nodes.forEach(Node::close);
      }
    }
  }

  private void warmUp() throws Exception {
    int most = counts.stream().max(Integer::compare).orElseThrow();
    for (int i = 0; i < most; i++) {
      nodes.add(new Node(entry, database, server.user(), System.getProperty("java.class.path")));
      warmUp(nodes.subList(i, i + 1));
    }
    warmUp(nodes);
  }

  private void warmUp(List<Node> some) throws Exception {
    long compiled = Long.MAX_VALUE;
    for (int i = 0; i < MOST_WARM_UPS && compiled > COMPILED_MILLIS * some.size(); i++) {
      compiled = drain(some, warmUp * some.size(), 0);
    }
  }

  /**
   * {@code round} is 0 for a warm-up.
   *
   * @return how long the nodes' compilers worked, in milliseconds
   */
  private long drain(List<Node> some, int waiting, int round) throws Exception {
    MeasuredServer.Fresh fresh = server.fresh();
    Setup setup = new Setup(database, fresh.url(), server.user(), "", 0, 0, null);
    try (Contestant table = entry.on(setup)) {
      table.prepare();
      table.fillWaiting(0, waiting, BYTES);
      setup.settle();
      for (Node node : some) {
        node.open(fresh.url());
      }
      awaitQuiet();
      MachineUse machine =
          new MachineUse(
              some.stream().map(Node::pid).toList(), server.pid(), ProcessHandle.current().pid());
      long began = System.nanoTime();
      some.forEach(Node::go);
      await(table, some, waiting, began + TimeUnit.SECONDS.toNanos(limitSeconds));
      double seconds = (System.nanoTime() - began) / 1e9;
      MachineUse.Use use = machine.now();
      long finished = waiting - table.unfinished();
      BitSet numbers = new BitSet();
      long deliveries = 0;
      long compiled = 0;
      for (Node node : some) {
        node.awaitStart();
        Node.Work work = node.stop();
        deliveries += work.deliveries();
        compiled += work.compiledMillis();
        numbers.or(work.numbers());
      }
      if (round > 0) {
        Drains drains = measured.computeIfAbsent(some.size(), any -> new Drains());
        drains.rate.add(finished / seconds);
        drains.jvm.add(use.jvm() * 1e6 / finished);
        drains.database.add(use.server() * 1e6 / finished);
        drains.others.add(use.othersShare());
        drains.duplicates += deliveries - numbers.cardinality();
        drains.missing += waiting - finished;
        out.printf(
            Locale.ROOT,
            "  round %d: %d processes: %,.0f events/s, %.1f + %.1f us, others %.0f%%%n",
            round,
            some.size(),
            finished / seconds,
            use.jvm() * 1e6 / finished,
            use.server() * 1e6 / finished,
            use.othersShare() * 100);
      }
      return compiled;
    } finally {
      server.drop(fresh);
    }
  }

  /** Compilers go on for a while after a drain, in all nodes. */
  private void awaitQuiet() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      MachineUse machine =
          new MachineUse(nodes.stream().map(Node::pid).toList(), server.pid(), server.pid());
      TimeUnit.MILLISECONDS.sleep(250);
      if (machine.now().jvm() < 0.03) {
        return;
      }
    }
  }

  private static void await(Contestant table, List<Node> some, int waiting, long end)
      throws Exception {
    while (some.stream().mapToInt(Node::delivered).sum() < waiting && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
    }
    while (!table.isFinished() && System.nanoTime() - end < 0) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  private void report() {
    out.printf(
        Locale.ROOT, "%n%s, %,d events, %d rounds, medians%n%n", entry.title(), events, rounds);
    out.println(
        "| processes | events/s | lowest to highest | ratio | CPU of JVMs and database per event |"
            + " ratio | duplicates | missing | others |");
    out.println("|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    Drains first = measured.values().iterator().next();
    measured.forEach((count, drains) -> out.println(row(count, drains, first)));
  }

  private static String row(int count, Drains drains, Drains first) {
    return String.format(
        Locale.ROOT,
        "| %d | %,.0f | %,.0f–%,.0f | %.2f | %.1f + %.1f µs | %.2f | %d | %d | %.0f %% |",
        count,
        drains.rate.median(),
        drains.rate.min(),
        drains.rate.max(),
        drains.rate.median() / first.rate.median(),
        drains.jvm.median(),
        drains.database.median(),
        cpu(drains) / cpu(first),
        drains.duplicates,
        drains.missing,
        drains.others.max() * 100);
  }

  private static double cpu(Drains drains) {
    return drains.jvm.median() + drains.database.median();
  }

  /** All nodes on a table in which nothing waits. */
  private void idle() throws Exception {
    MeasuredServer.Fresh fresh = server.fresh();
    Setup setup = new Setup(database, fresh.url(), server.user(), "", 0, 0, null);
    try (Contestant table = entry.on(setup);
        HikariDataSource pool = new HikariDataSource()) {
      table.prepare();
      pool.setJdbcUrl(fresh.url());
      pool.setUsername(server.user());
      pool.setPassword("");
      pool.setMaximumPoolSize(1);
      for (Node node : nodes) {
        node.open(fresh.url());
        node.go();
        node.awaitStart();
      }
      IdleCost cost = new IdleCost(pool, database);
      double perSecond = cost.perSecond(idleSeconds);
      out.printf(
          Locale.ROOT,
          "%n%d idle nodes: %.1f %s per second, %.2f each, over %d s%n",
          nodes.size(),
          perSecond,
          cost.unit(),
          perSecond / nodes.size(),
          idleSeconds);
      for (Node node : nodes) {
        node.stop();
      }
    } finally {
      server.drop(fresh);
    }
  }
}
