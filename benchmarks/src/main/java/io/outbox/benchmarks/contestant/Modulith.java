package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Configuration;
import org.springframework.modulith.events.ApplicationModuleListener;
import org.springframework.modulith.events.FailedEventPublications;
import org.springframework.modulith.events.IncompleteEventPublications;
import org.springframework.modulith.events.ResubmissionOptions;

/**
 * The events of Spring Modulith over JDBC. They are delivered after the commit; what was left
 * behind is resubmitted when the application starts (its default is not to do so at all), or, at
 * best settings, in batches of failed publications, as its reference says.
 */
final class Modulith implements Contestant {

  private static final int THREADS = 16;
  private static final int BATCH = 1_000;
  // MariaDB tells upper from lower case.
  private static final String TABLE = "EVENT_PUBLICATION";

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "io.namastack.outbox.config.OutboxCoreInfrastructureAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreThreadingAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreProcessingAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreSchedulingAutoConfiguration",
        "io.namastack.outbox.config.OutboxCoreMulticasterAutoConfiguration",
        "io.namastack.outbox.OutboxJacksonAutoConfiguration",
        "io.namastack.outbox.config.JdbcOutboxAutoConfiguration",
        "io.namastack.outbox.config.JdbcOutboxSchemaAutoConfiguration"
      })
  static class Application {}

  /** Given every event. */
  static class Listener {
    private final IntConsumer listener;

    Listener(IntConsumer listener) {
      this.listener = listener;
    }

    @ApplicationModuleListener(id = "measured")
    void on(Measured event) {
      listener.accept(event.n());
    }
  }

  private final Setup setup;
  private final boolean best;
  private final HikariDataSource pool;
  private final HikariDataSource filling;
  private final DataSource watched;
  private RowCopies copies;
  private SpringApplicationOf application;
  private ApplicationEventPublisher publisher;
  private Thread resubmission;

  Modulith(boolean best, Setup setup) {
    this.setup = setup;
    this.best = best;
    this.pool = setup.pool(poolSize());
    this.filling = setup.fillingPool();
    this.watched = setup.watched(pool);
  }

  private int threads() {
    return setup.inFlightOr(THREADS);
  }

  private int poolSize() {
    // A listener's transaction and its completion hold a connection each.
    return best ? 2 * threads() + 8 : 10;
  }

  @Override
  public String settings() {
    return best
        ? "task.execution.pool.core-size=%d, completion-mode=delete, failed publications resubmitted"
                .formatted(threads())
            + " in batches of %d; pool %d".formatted(BATCH, poolSize())
        : "defaults (8 threads, completion-mode=update), incomplete publications resubmitted once at the start;"
            + " pool "
            + poolSize();
  }

  private void run(IntConsumer listener) {
    stop();
    Map<String, Object> properties = new HashMap<>();
    properties.put("spring.modulith.events.jdbc.schema-initialization.enabled", true);
    if (best) {
      properties.put("spring.task.execution.pool.core-size", threads());
      properties.put("spring.modulith.events.completion-mode", "delete");
    }
    application =
        new SpringApplicationOf(
            Application.class,
            watched,
            properties,
            context ->
                context.registerBean("listener", Listener.class, () -> new Listener(listener)));
    publisher = application.publisher();
  }

  @Override
  public void prepare() throws Exception {
    startWriting(
        n -> {
          // Left behind by a listener that failed.
          throw new IllegalStateException("not yet");
        });
    transact(tx -> tx.publish(Measured.of(0, 200)));
    awaitTemplate();
    stop();
    copies = RowCopies.of(filling, TABLE);
  }

  private void awaitTemplate() throws Exception {
    for (int i = 0; i < 500; i++) {
      if (Sql.number(filling, "SELECT count(*) FROM EVENT_PUBLICATION WHERE status = 'FAILED'")
          == 1) {
        return;
      }
      Thread.sleep(20);
    }
    throw new IllegalStateException("Spring Modulith did not mark a publication as failed");
  }

  @Override
  public void fillWaiting(int first, int count, int bytes) throws SQLException {
    Timestamp written = Timestamp.from(Instant.now().minusSeconds(60));
    copies.insert(
        first,
        count,
        (row, n) -> {
          row.put("id", UUID.randomUUID());
          row.put("serialized_event", Measured.of(n, bytes).toJson());
          row.put("publication_date", written);
        });
  }

  @Override
  public void fillFinished(int count) throws SQLException {
    Timestamp written = Timestamp.from(Instant.now().minusSeconds(7200));
    copies.insertMany(
        count,
        Map.of("id", Sql.newUuid(setup.kind())),
        (row, n) -> {
          row.put("id", UUID.randomUUID());
          row.put("serialized_event", Measured.of(n, 200).toJson());
          row.put("publication_date", written);
          row.put("completion_date", written);
          row.put("status", "COMPLETED");
        });
  }

  @Override
  public void start(IntConsumer listener) {
    run(listener);
    resubmission = new Thread(best ? this::resubmitBatches : this::resubmitAll, "resubmission");
    resubmission.start();
  }

  /** What republish-outstanding-events-on-restart does, but when the clock runs. */
  private void resubmitAll() {
    application
        .bean(IncompleteEventPublications.class)
        .resubmitIncompletePublications(publication -> true);
  }

  private void resubmitBatches() {
    FailedEventPublications failed = application.bean(FailedEventPublications.class);
    try {
      while (!Thread.interrupted()) {
        while (Sql.number(filling, ANY_FAILED) > 0) {
          failed.resubmit(ResubmissionOptions.defaults().withBatchSize(BATCH));
        }
        Thread.sleep(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (SQLException | RuntimeException e) {
      if (!Thread.currentThread().isInterrupted()) {
        throw new IllegalStateException("resubmission failed", e);
      }
    }
  }

  private static final String ANY_FAILED =
      "SELECT count(*) FROM (SELECT 1 FROM EVENT_PUBLICATION WHERE status = 'FAILED' LIMIT 1) f";

  @Override
  public void startWriting(IntConsumer listener) {
    run(listener);
  }

  @Override
  public boolean startsFramework() {
    return true;
  }

  @Override
  public void transact(Tx.Work work) {
    application.transact(
        work,
        new Tx() {
          @Override
          public Connection connection() {
            return application.connection();
          }

          @Override
          public void publish(Measured event) {
            publisher.publishEvent(event);
          }
        });
  }

  @Override
  public long unfinished() throws SQLException {
    return Sql.number(
        filling, "SELECT count(*) FROM EVENT_PUBLICATION WHERE completion_date IS NULL");
  }

  @Override
  public void stop() {
    if (resubmission != null) {
      resubmission.interrupt();
    }
    if (application != null) {
      application.close();
      application = null;
    }
  }

  @Override
  public void close() {
    stop();
    pool.close();
    filling.close();
  }
}
