package io.outbox.it;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.testdb.Database;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A node in a process of its own, which ends without a word when it gets a deadly event. */
final class DyingProcess {

  static final String DEADLY = "Deadly";
  static final int EXIT = 77;

  private DyingProcess() {}

  /**
   * Runs a node until it dies.
   *
   * @param othersFinish whether it finishes other events before that
   */
  static int run(Database database, Duration claimTimeout, int maxAttempts, boolean othersFinish)
      throws Exception {
    return run(database, claimTimeout, maxAttempts, othersFinish, false);
  }

  /** Runs a node that delivers in order by key until it dies. */
  static int runByKey(Database database, Duration laneLease, int maxAttempts) throws Exception {
    return run(database, laneLease, maxAttempts, true, true);
  }

  private static int run(
      Database database, Duration lease, int maxAttempts, boolean othersFinish, boolean byKey)
      throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                DyingProcess.class.getName(),
                database.jdbcUrl(),
                database.user(),
                database.password(),
                lease.toString(),
                Integer.toString(maxAttempts),
                Boolean.toString(othersFinish),
                Boolean.toString(byKey))
            .redirectErrorStream(true)
            .redirectOutput(Redirect.DISCARD)
            .start();
    try {
      return process.waitFor(90, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } finally {
      process.destroyForcibly();
    }
  }

  public static void main(String[] arguments) throws Exception {
    List<String> settings = List.of(arguments);
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(settings.get(0));
    pool.setUsername(settings.get(1));
    pool.setPassword(settings.get(2));
    pool.setMaximumPoolSize(4);
    boolean othersFinish = Boolean.parseBoolean(settings.get(5));
    Duration lease = Duration.parse(settings.get(3));
    Outbox.ConcurrentBuilder<?> builder =
        Boolean.parseBoolean(settings.get(6))
            ? Outbox.orderedByKey().laneLease(lease)
            : Outbox.multiNode().claimLocking(lease);
    builder
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new ThreadLocalTxContext())
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(Scenario.to(event -> deliver(event, othersFinish)))
        .maxAttempts(Integer.parseInt(settings.get(4)))
        .workerCount(8) // events that are not finished leave one for the deadly event
        .intervalMs(50)
        .build();
    Thread.currentThread().join();
  }

  private static DispatchResult deliver(EventEnvelope event, boolean othersFinish)
      throws InterruptedException {
    if (event.eventType().equals(DEADLY)) {
      Runtime.getRuntime().halt(EXIT);
    }
    if (!othersFinish) {
      Thread.currentThread().join(); // until the process ends
    }
    return DispatchResult.done();
  }
}
