package io.outbox.it;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.testdb.Database;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A process with little memory that writes many events in one transaction, and delivers them. */
final class LargeTransactionProcess {

  private static final int PAYLOAD = 10_000;

  private LargeTransactionProcess() {}

  /**
   * Runs it to its end.
   *
   * @param perCall how many events each call of the writer gets
   * @return its exit code: 0 if all events were delivered
   */
  static int run(Database database, String mode, int events, int perCall, File log)
      throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx96m",
                "-XX:+UseSerialGC",
                "-XX:+ExitOnOutOfMemoryError",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                LargeTransactionProcess.class.getName(),
                database.jdbcUrl(),
                database.user(),
                database.password(),
                mode,
                Integer.toString(events),
                Integer.toString(perCall))
            .redirectErrorStream(true)
            .redirectOutput(log)
            .start();
    try {
      return process.waitFor(10, TimeUnit.MINUTES) ? process.exitValue() : -1;
    } finally {
      process.destroyForcibly();
    }
  }

  private static Outbox.ConcurrentBuilder<?> builder(String mode) {
    return switch (mode) {
      case "single" -> Outbox.singleNode().hotQueueCapacity(10);
      case "multi" -> Outbox.multiNode().claimLocking(Duration.ofMinutes(5)).hotQueueCapacity(10);
      default -> Outbox.orderedByKey().hotQueueCapacity(10);
    };
  }

  public static void main(String[] arguments) throws Exception {
    List<String> settings = List.of(arguments);
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(settings.get(0));
    pool.setUsername(settings.get(1));
    pool.setPassword(settings.get(2));
    pool.setMaximumPoolSize(6);
    int events = Integer.parseInt(settings.get(4));
    int perCall = Integer.parseInt(settings.get(5));
    AtomicInteger delivered = new AtomicInteger();
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(pool);
    Outbox outbox =
        builder(settings.get(3))
            .connectionProvider(connections)
            .txContext(tx)
            .outboxStore(JdbcOutboxStores.detect(pool))
            .listenerRegistry(
                Scenario.to(
                    event -> {
                      delivered.incrementAndGet();
                      return DispatchResult.done();
                    }))
            .maxQueuedBytes(8 * 1024 * 1024)
            .build();
    new JdbcTransactionManager(connections, tx)
        .run(transaction -> write(outbox.writer(), events, perCall));
    while (delivered.get() < events) {
      TimeUnit.MILLISECONDS.sleep(100);
    }
    outbox.close();
    System.exit(delivered.get() == events ? 0 : 3);
  }

  private static void write(OutboxWriter writer, int events, int perCall) {
    String payload = '"' + "x".repeat(PAYLOAD) + '"';
    for (int written = 0; written < events; written += perCall) {
      List<EventEnvelope> batch = new ArrayList<>();
      for (int i = 0; i < perCall; i++) {
        batch.add(
            EventEnvelope.builder(Scenario.TYPE)
                .orderingKey("key-" + i % 100)
                .payloadJson(new String(payload.toCharArray())) // not shared
                .build());
      }
      writer.writeAll(batch);
    }
  }
}
