package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.benchmarks.workload.MachineUse;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.partition.PartitionRotation;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.purge.OutboxPurgeScheduler;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.EventPurger;
import java.io.PrintStream;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import javax.sql.DataSource;

/**
 * Events are written at a steady rate and delivered at once; finished ones are kept for a minute.
 * It prints the size of the table, and how long commits took; at the end how the table grew,
 * whether delivery became slower, and what autovacuum had to do.
 */
final class TableGrowth {

  private static final Duration RETENTION = Duration.ofMinutes(1);
  private static final int PER_TRANSACTION = 10;
  private static final int LOOK_SECONDS = 5;
  private static final int REPORT_SECONDS = 30;

  /** The beginning and the end of a run, which are compared. */
  private static final double WINDOW_SECONDS = 300;

  private final DataSource pool;
  private final int rate;
  private final boolean rotated;
  private final PrintStream out;
  private final long serverPid;
  private final EventPurger purger;
  private final TableHistory history;
  private final AtomicLong delivered = new AtomicLong();
  private long written;

  TableGrowth(DataSource pool, long serverPid, int rate, boolean rotated, PrintStream out) {
    this.pool = pool;
    this.serverPid = serverPid;
    this.history = new TableHistory(pool);
    this.rate = rate;
    this.rotated = rotated;
    this.out = out;
    if (rotated) {
      PartitionRotation rotation =
          new PartitionRotation("outbox_event", 20L * rate, 2, Duration.ofMillis(200));
      rotation.create(pool);
      this.purger = rotation;
    } else {
      OutboxSchema.create(pool);
      this.purger = new PostgresEventPurger();
    }
  }

  void watch(int seconds) throws SQLException {
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
    JdbcTransactionManager transactions = new JdbcTransactionManager(connections, tx);
    try (Outbox outbox = outbox(tx, connections);
        OutboxPurgeScheduler purge =
            OutboxPurgeScheduler.builder()
                .connectionProvider(connections)
                .outboxStore(JdbcOutboxStores.detect(pool))
                .purger(purger)
                .retention(RETENTION)
                .intervalSeconds(5)
                .build()) {
      purge.start();
      MachineUse machine = new MachineUse(serverPid, 0);
      write(seconds, batch -> transactions.run(transaction -> outbox.writer().writeAll(batch)));
      summarize(machine.now());
    }
  }

  private Outbox outbox(ThreadLocalTxContext tx, DataSourceConnectionProvider connections) {
    return Outbox.multiNode()
        .claimLocking(Duration.ofMinutes(5))
        .connectionProvider(connections)
        .txContext(tx)
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(
            new DefaultListenerRegistry()
                .registerDefault(
                    event -> {
                      delivered.incrementAndGet();
                      return DispatchResult.done();
                    }))
        .build();
  }

  private void write(int seconds, Consumer<List<EventEnvelope>> writer) throws SQLException {
    long start = System.nanoTime();
    history.look(0, 0);
    double nextLook = LOOK_SECONDS;
    double nextReport = REPORT_SECONDS;
    List<Long> commits = new ArrayList<>();
    double second = 0;
    while (second < seconds) {
      long due = start + written * 1_000_000_000L / rate;
      LockSupport.parkNanos(due - System.nanoTime());
      List<EventEnvelope> batch =
          LongStream.range(written, written + PER_TRANSACTION)
              .mapToObj(n -> PartitionsBenchmark.event((int) n, null))
              .toList();
      long began = System.nanoTime();
      writer.accept(batch);
      commits.add(System.nanoTime() - began);
      written += PER_TRANSACTION;
      second = (System.nanoTime() - start) / 1e9;
      if (second >= nextLook || second >= seconds) {
        history.look(second, delivered.get());
        nextLook += LOOK_SECONDS;
      }
      if (second >= nextReport) {
        report(commits);
        commits.clear();
        nextReport += REPORT_SECONDS;
      }
    }
  }

  private void report(List<Long> commits) {
    List<Long> sorted = commits.stream().sorted().toList();
    TableHistory.Sample now = history.last();
    print(
        "%.0f s: %,d written, %,d delivered, %.0f MB in %d tables, %,d live rows, %,d dead;"
            + " transactions p50 %.1f ms, p99 %.1f ms, longest %.0f ms",
        now.second(),
        written,
        now.delivered(),
        now.size(),
        now.tables(),
        now.live(),
        now.dead(),
        sorted.get(sorted.size() / 2) / 1e6,
        sorted.get(sorted.size() * 99 / 100) / 1e6,
        sorted.get(sorted.size() - 1) / 1e6);
  }

  private void summarize(MachineUse.Use use) {
    TableHistory.Sample end = history.last();
    double window = Math.min(WINDOW_SECONDS, end.second() / 2);
    double first = history.firstRate(window);
    double last = history.lastRate(window);
    print("%,d written, %,d delivered in %.0f s", written, end.delivered(), end.second());
    print(
        "delivered per second: %,.1f in the first %.0f s, %,.1f in the last: ratio %.3f",
        first, window, last, last / first);
    print("size: %s", history.sizes());
    print("dead rows: %s", history.deadRows());
    print("autovacuum: %s", history.autovacuum());
    print(
        "CPU time per event: JVM %.1f µs, database %.1f µs; others used %.0f %% of the machine",
        use.jvm() * 1e6 / written, use.server() * 1e6 / written, 100 * use.othersShare());
  }

  private void print(String format, Object... values) {
    out.println(
        (rotated ? "in partitions, " : "plain, ") + String.format(Locale.ROOT, format, values));
  }
}
