package io.outbox.benchmarks.contestant;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * db-scheduler, each event a one-time task. Threads and fetch limits are those that its page on
 * performance measures; a task joins a transaction through Spring's proxy, and the scheduler is
 * told to look for it after the commit, both as its README says.
 */
final class DbScheduler implements Contestant {

  private static final int THREADS = 20;

  private final Setup setup;
  private final boolean best;
  private final HikariDataSource pool;
  private final HikariDataSource filling;
  private final DataSource connections;
  private final DataSource dataSource;
  private final TransactionTemplate transactions;
  private final AtomicLong names = new AtomicLong();
  private RowCopies copies;
  private OneTimeTask<String> task;
  private SchedulerClient client;
  private Scheduler scheduler;

  DbScheduler(boolean best, Setup setup) {
    this.setup = setup;
    this.best = best;
    this.pool = setup.pool(poolSize());
    this.filling = setup.fillingPool();
    this.connections = setup.watched(pool);
    this.dataSource = new TransactionAwareDataSourceProxy(connections);
    this.transactions = new TransactionTemplate(new DataSourceTransactionManager(connections));
  }

  private int threads() {
    return best ? setup.inFlightOr(THREADS) : 10;
  }

  private int poolSize() {
    return best ? threads() + 8 : 10;
  }

  private boolean locksAndFetches() {
    return best && setup.kind() == TestDatabase.POSTGRES;
  }

  @Override
  public String settings() {
    return best
        ? "threads=%d, %s, pollingInterval=100ms, scheduleBatch, check triggered after commit; pool %d"
            .formatted(
                threads(),
                locksAndFetches() ? "pollUsingLockAndFetch(4, 20)" : "pollUsingFetch(4, 20)",
                poolSize())
        : "defaults (threads=10, fetch, pollingInterval=10s), scheduleIfNotExists; pool "
            + poolSize();
  }

  @Override
  public void prepare() throws SQLException {
    Sql.execute(filling, setup.kind() == TestDatabase.POSTGRES ? POSTGRES : MYSQL);
    if (setup.kind() == TestDatabase.POSTGRES) {
      Sql.execute(
          filling,
          "CREATE INDEX execution_time_idx ON scheduled_tasks (execution_time)",
          "CREATE INDEX last_heartbeat_idx ON scheduled_tasks (last_heartbeat)",
          "CREATE INDEX priority_execution_time_idx"
              + " ON scheduled_tasks (priority DESC, execution_time ASC)");
    }
    startWriting(n -> {});
    client.scheduleIfNotExists(instance(Measured.of(0, 200)), Instant.now());
    copies = RowCopies.of(filling, "scheduled_tasks");
  }

  @Override
  public void fillWaiting(int first, int count, int bytes) throws SQLException {
    Instant due = Instant.now().minusSeconds(60);
    copies.insert(
        first,
        count,
        (row, n) -> {
          row.put("task_instance", "w" + n + "-" + names.incrementAndGet());
          row.put(
              "task_data",
              Serializer.DEFAULT_JAVA_SERIALIZER.serialize(Measured.of(n, bytes).toJson()));
          row.put("execution_time", Timestamp.from(due.plusNanos(1_000L * (n - first))));
        });
  }

  private TaskInstance<String> instance(Measured event) {
    return task.instance("e" + event.n() + "-" + names.incrementAndGet(), event.toJson());
  }

  @Override
  public void startWriting(IntConsumer listener) {
    task =
        Tasks.oneTime("measured", String.class)
            .execute((instance, context) -> listener.accept(Measured.numberIn(instance.getData())));
    client = SchedulerClient.Builder.create(dataSource, task).build();
  }

  @Override
  public void start(IntConsumer listener) {
    startWriting(listener);
    SchedulerBuilder builder = Scheduler.create(dataSource, task);
    if (best) {
      builder.threads(threads()).pollingInterval(Duration.ofMillis(100));
      if (locksAndFetches()) {
        builder.pollUsingLockAndFetch(4.0, 20.0);
      } else {
        builder.pollUsingFetch(4.0, 20.0);
      }
    }
    scheduler = builder.build();
    scheduler.start();
  }

  @Override
  public void transact(Tx.Work work) {
    transactions.executeWithoutResult(
        status -> {
          try {
            work.run(new SchedulerTx());
          } catch (Exception e) {
            throw new IllegalStateException(e);
          }
        });
    if (best && scheduler != null) {
      scheduler.triggerCheckForDueExecutions();
    }
  }

  private final class SchedulerTx implements Tx {
    @Override
    public Connection connection() {
      return DataSourceUtils.getConnection(connections);
    }

    @Override
    public void publish(Measured event) {
      if (best) {
        // Not looked up before it is written.
        publishAll(List.of(event));
      } else {
        client.scheduleIfNotExists(instance(event), Instant.now());
      }
    }

    @Override
    public void publishAll(List<Measured> events) {
      List<TaskInstance<?>> instances = new ArrayList<>();
      events.forEach(event -> instances.add(instance(event)));
      client.scheduleBatch(instances, Instant.now());
    }
  }

  @Override
  public long unfinished() throws SQLException {
    return Sql.number(filling, "SELECT count(*) FROM scheduled_tasks");
  }

  @Override
  public void stop() {
    if (scheduler != null) {
      scheduler.stop();
      scheduler = null;
    }
  }

  @Override
  public void close() {
    stop();
    pool.close();
    filling.close();
  }

  private static final String POSTGRES =
      """
      CREATE TABLE scheduled_tasks (
        task_name            TEXT        NOT NULL,
        task_instance        TEXT        NOT NULL,
        task_data            BYTEA,
        execution_time       TIMESTAMPTZ,
        picked               BOOLEAN     NOT NULL,
        picked_by            TEXT,
        last_success         TIMESTAMPTZ,
        last_failure         TIMESTAMPTZ,
        consecutive_failures INT,
        last_heartbeat       TIMESTAMPTZ,
        version              BIGINT      NOT NULL,
        priority             SMALLINT,
        state                TEXT,
        PRIMARY KEY (task_name, task_instance))
      """;

  private static final String MYSQL =
      """
      CREATE TABLE scheduled_tasks (
        task_name            VARCHAR(100) NOT NULL,
        task_instance        VARCHAR(100) NOT NULL,
        task_data            BLOB,
        execution_time       TIMESTAMP(6) NULL,
        picked               BOOLEAN      NOT NULL,
        picked_by            VARCHAR(50),
        last_success         TIMESTAMP(6) NULL,
        last_failure         TIMESTAMP(6) NULL,
        consecutive_failures INT,
        last_heartbeat       TIMESTAMP(6) NULL,
        version              BIGINT       NOT NULL,
        priority             SMALLINT,
        state                VARCHAR(50),
        PRIMARY KEY (task_name, task_instance),
        INDEX execution_time_idx (execution_time),
        INDEX last_heartbeat_idx (last_heartbeat),
        INDEX priority_execution_time_idx (priority DESC, execution_time ASC))
      """;
}
