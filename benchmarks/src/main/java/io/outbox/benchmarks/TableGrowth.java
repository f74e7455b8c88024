package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
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
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Events are written at a steady rate and delivered at once; finished ones are kept for a minute.
 * It prints the size of the table, and how long commits took.
 */
final class TableGrowth {

  private static final Duration RETENTION = Duration.ofMinutes(1);
  private static final int PER_TRANSACTION = 10;
  private static final long REPORT_NANOS = 30_000_000_000L;

  private static final String SIZE =
      """
      SELECT sum(pg_total_relation_size(c.oid)) / 1048576, sum(pg_stat_get_dead_tuples(c.oid)),
        sum(pg_stat_get_live_tuples(c.oid)), count(*)
      FROM pg_class c WHERE c.relkind = 'r'
        AND (c.oid = 'outbox_event'::regclass
          OR c.oid IN (SELECT inhrelid FROM pg_inherits WHERE inhparent = 'outbox_event'::regclass))
      """;

  private final DataSource pool;
  private final int rate;
  private final boolean rotated;
  private final PrintStream out;
  private final EventPurger purger;

  TableGrowth(DataSource pool, int rate, boolean rotated, PrintStream out) {
    this.pool = pool;
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
    AtomicInteger delivered = new AtomicInteger();
    try (Outbox outbox =
            Outbox.multiNode()
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
        OutboxPurgeScheduler purge =
            OutboxPurgeScheduler.builder()
                .connectionProvider(connections)
                .outboxStore(JdbcOutboxStores.detect(pool))
                .purger(purger)
                .retention(RETENTION)
                .intervalSeconds(5)
                .build()) {
      purge.start();
      long start = System.nanoTime();
      long nextReport = start + REPORT_NANOS;
      List<Long> commits = Collections.synchronizedList(new ArrayList<>());
      int written = 0;
      while (System.nanoTime() - start < seconds * 1_000_000_000L) {
        long due = start + written * 1_000_000_000L / rate;
        LockSupport.parkNanos(due - System.nanoTime());
        int first = written;
        List<EventEnvelope> batch =
            IntStream.range(first, first + PER_TRANSACTION)
                .mapToObj(n -> PartitionsBenchmark.event(n, null))
                .toList();
        long began = System.nanoTime();
        transactions.run(transaction -> outbox.writer().writeAll(batch));
        commits.add(System.nanoTime() - began);
        written += PER_TRANSACTION;
        if (System.nanoTime() > nextReport) {
          report((System.nanoTime() - start) / 1_000_000_000, written, delivered.get(), commits);
          commits.clear();
          nextReport += REPORT_NANOS;
        }
      }
    }
  }

  private void report(long second, int written, int delivered, List<Long> commits)
      throws SQLException {
    List<Long> sorted = commits.stream().sorted().toList();
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery(SIZE)) {
      row.next();
      out.printf(
          Locale.ROOT,
          "%s, %d s: %,d written, %,d delivered, %d MB in %d tables, %,d live rows, %,d dead;"
              + " transactions p50 %.1f ms, p99 %.1f ms, longest %.0f ms%n",
          rotated ? "in partitions" : "plain",
          second,
          written,
          delivered,
          row.getLong(1),
          row.getInt(4),
          row.getLong(3),
          row.getLong(2),
          sorted.get(sorted.size() / 2) / 1e6,
          sorted.get(sorted.size() * 99 / 100) / 1e6,
          sorted.get(sorted.size() - 1) / 1e6);
    }
  }
}
