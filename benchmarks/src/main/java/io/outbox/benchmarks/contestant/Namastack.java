package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariDataSource;
import io.namastack.outbox.Outbox;
import io.namastack.outbox.handler.OutboxRecordMetadata;
import io.namastack.outbox.handler.OutboxTypedHandler;
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
import org.springframework.context.annotation.Configuration;

/**
 * namastack-outbox for JDBC. What its reference of the configuration lets one raise is raised: keys
 * per poll, threads, and polls; completed records are deleted.
 */
final class Namastack implements Contestant {

  private static final int THREADS = 16;
  private static final int PARTITIONS = 256;

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration(
      excludeName = {
        "org.springframework.modulith.events.config.EventPublicationAutoConfiguration",
        "org.springframework.modulith.events.config.EventExternalizationAutoConfiguration",
        "org.springframework.modulith.events.jackson.JacksonEventSerializationConfiguration",
        "org.springframework.modulith.events.jdbc.JdbcEventPublicationAutoConfiguration"
      })
  static class Application {}

  /** Given every event. */
  static final class Handler implements OutboxTypedHandler<Measured> {
    private final IntConsumer listener;

    Handler(IntConsumer listener) {
      this.listener = listener;
    }

    @Override
    public void handle(Measured event, OutboxRecordMetadata metadata) {
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
  private Outbox outbox;

  Namastack(boolean best, Setup setup) {
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
    return best ? threads() + 8 : 10;
  }

  @Override
  public String settings() {
    return best
        ? "polling.batch-size=1000, polling.fixed.interval=20ms, executor-core-pool-size and"
            + " -max-pool-size=%d, delete-completed-records; pool %d"
                .formatted(threads(), poolSize())
        : "defaults (batch-size=10, interval=2s, 4 threads); pool " + poolSize();
  }

  private Map<String, Object> properties() {
    Map<String, Object> properties = new HashMap<>();
    if (best) {
      properties.put("namastack.outbox.polling.batch-size", 1_000);
      properties.put("namastack.outbox.polling.fixed.interval", "20ms");
      properties.put("namastack.outbox.processing.executor-core-pool-size", threads());
      properties.put("namastack.outbox.processing.executor-max-pool-size", threads());
      properties.put("namastack.outbox.processing.delete-completed-records", true);
    }
    return properties;
  }

  private void run(Map<String, Object> properties, IntConsumer listener) {
    stop();
    application =
        new SpringApplicationOf(
            Application.class,
            watched,
            properties,
            context -> context.registerBean("handler", Handler.class, () -> new Handler(listener)));
    outbox = application.bean(Outbox.class);
  }

  @Override
  public void prepare() throws Exception {
    startWriting(n -> {});
    transact(tx -> tx.publish(Measured.of(0, 200)));
    stop();
    copies = RowCopies.of(filling, "outbox_record");
  }

  @Override
  public void fillWaiting(int first, int count, int bytes) throws SQLException {
    Timestamp written = Timestamp.from(Instant.now().minusSeconds(60));
    copies.insert(
        first,
        count,
        edit(
            bytes,
            (row, n) -> {
              row.put("status", "NEW");
              row.put("created_at", written);
              row.put("next_retry_at", written);
              row.put("completed_at", null);
            }));
  }

  @Override
  public void fillFinished(int count) throws SQLException {
    Timestamp written = Timestamp.from(Instant.now().minusSeconds(7200));
    String uuid = Sql.newUuid(setup.kind());
    copies.insertMany(
        count,
        Map.of("id", uuid, "record_key", uuid),
        edit(
            200,
            (row, n) -> {
              row.put("status", "COMPLETED");
              row.put("created_at", written);
              row.put("next_retry_at", written);
              row.put("completed_at", written);
            }));
  }

  private static RowCopies.Edit edit(int bytes, RowCopies.Edit more) {
    return (row, n) -> {
      row.put("id", UUID.randomUUID().toString());
      row.put("record_key", UUID.randomUUID().toString());
      row.put("partition_no", n % PARTITIONS);
      row.put("payload", Measured.of(n, bytes).toJson());
      more.edit(row, n);
    };
  }

  @Override
  public void start(IntConsumer listener) {
    run(properties(), listener);
  }

  /** There is no switch for delivery alone, but it can be made to look rarely. */
  @Override
  public void startWriting(IntConsumer listener) {
    Map<String, Object> properties = properties();
    properties.put("namastack.outbox.polling.fixed.interval", "1h");
    run(properties, listener);
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
            outbox.schedule(event, UUID.randomUUID().toString());
          }
        });
  }

  @Override
  public long unfinished() throws SQLException {
    return Sql.number(filling, "SELECT count(*) FROM outbox_record WHERE status = 'NEW'");
  }

  @Override
  public void stop() {
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
