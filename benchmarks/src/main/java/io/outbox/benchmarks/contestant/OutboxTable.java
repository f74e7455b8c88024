package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.operate.DeliveryPause;
import io.outbox.spi.OperatorStore;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Map;

/** The table of our outbox, which the plain loop uses too. */
final class OutboxTable implements AutoCloseable {

  private static final String PAUSED = "Paused";

  private final TestDatabase kind;
  private final Keys keys;
  private final HikariDataSource filling;
  private RowCopies copies;
  private boolean filled; // then only those events are counted: to count others takes time
  private Instant firstDue;
  private Instant lastDue;

  OutboxTable(Setup setup) {
    this(setup, Keys.NONE);
  }

  OutboxTable(Setup setup, Keys keys) {
    this.keys = keys;
    kind = setup.kind();
    filling = setup.fillingPool();
  }

  void create() throws SQLException {
    OutboxSchema.create(filling);
    if (keys != Keys.NONE) {
      OutboxSchema.createOrderedByKey(filling);
    }
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    try (Outbox outbox =
        Outbox.writerOnly().txContext(tx).outboxStore(JdbcOutboxStores.detect(filling)).build()) {
      new JdbcTransactionManager(new DataSourceConnectionProvider(filling), tx)
          .run(t -> outbox.writer().write(envelope(Measured.of(0, 200))));
    }
    copies =
        RowCopies.of(
            filling,
            "outbox_event",
            "seq",
            "due_at",
            "leased_at",
            "finished_at",
            "key_name",
            "key_lane");
  }

  static EventEnvelope envelope(Measured event) {
    return EventEnvelope.builder("Measured")
        .aggregateType("Order")
        .aggregateId(Integer.toString(event.n()))
        .payloadJson(event.toJson())
        .build();
  }

  void fillWaiting(int first, int count, int bytes) throws SQLException {
    filled = true;
    fillParked();
    Instant start = Instant.now().minusSeconds(60).truncatedTo(ChronoUnit.MILLIS);
    firstDue = start.plusNanos(1_000);
    lastDue = start.plusNanos(1_000L * count);
    copies.insert(
        first,
        count,
        (row, n) -> {
          Object written = time(firstDue.plusNanos(1_000L * (n - first)));
          row.put("event_id", "w%025d".formatted(n));
          row.put("aggregate_id", keys.of(n));
          row.put("payload", Measured.of(n, bytes).toJson());
          row.put("available_at", written);
          row.put("created_at", written);
        });
  }

  private void fillParked() throws SQLException {
    Instant start = Instant.now().minusSeconds(60);
    copies.insert(
        0,
        keys.parked(),
        (row, n) -> {
          row.put("event_id", "p%025d".formatted(n));
          row.put("aggregate_id", keys.ofParked(n));
          row.put("payload", Measured.of(n, 200).toJson());
          row.put("available_at", time(keys.isParkedDue(n) ? start : start.plusSeconds(36_000)));
          row.put("created_at", time(start));
        });
  }

  /** Events of a paused type, each of a different aggregate. */
  void fillPaused(int count) throws SQLException {
    OperatorStore operator = JdbcOutboxStores.detect(filling).operator().orElseThrow();
    try (Connection conn = filling.getConnection()) {
      operator.pause(conn, new DeliveryPause(null, PAUSED, "benchmark", Instant.now(), null));
    }
    Instant start = Instant.now().minusSeconds(3600);
    copies.insertMany(
        count,
        Map.of(
            "event_id", "CONCAT('b', LPAD(" + digits() + ", 25, '0'))",
            "aggregate_id", "CONCAT('b', " + digits() + ")"),
        (row, n) -> {
          row.put("event_id", "b%025d".formatted(n));
          row.put("event_type", PAUSED);
          row.put("aggregate_id", "b" + n);
          row.put("payload", Measured.of(n, 200).toJson());
          row.put("available_at", time(start));
          row.put("created_at", time(start));
        });
  }

  private String digits() {
    return hasNoZones(kind) ? "n" : "CAST(n AS VARCHAR(25))";
  }

  void fillFinished(int count) throws SQLException {
    Instant start = Instant.now().minusSeconds(7200);
    copies.insertMany(
        count,
        Map.of("event_id", "CONCAT('f', LPAD(" + digits() + ", 25, '0'))"),
        (row, n) -> {
          Object written = time(start.plusNanos(1_000L * n));
          row.put("event_id", "f%025d".formatted(n));
          row.put("aggregate_id", Integer.toString(n));
          row.put("payload", Measured.of(n, 200).toJson());
          row.put("status", 1);
          row.put("available_at", written);
          row.put("created_at", written);
          row.put("done_at", time(start.plusSeconds(1).plusNanos(1_000L * n)));
        });
  }

  private Object time(Instant at) {
    return time(kind, at);
  }

  static Object time(TestDatabase kind, Instant at) {
    return hasNoZones(kind)
        ? LocalDateTime.ofInstant(at, ZoneOffset.UTC)
        : OffsetDateTime.ofInstant(at, ZoneOffset.UTC);
  }

  /** MySQL and MariaDB: their tables are in UTC. */
  private static boolean hasNoZones(TestDatabase kind) {
    return kind == TestDatabase.MARIADB || kind == TestDatabase.MYSQL;
  }

  long unfinished() throws SQLException {
    return Sql.number(
        filling,
        "SELECT count(*) FROM outbox_event WHERE status IN (0, 2)"
            + (filled ? " AND event_id >= 'w' AND event_id < 'x'" : ""));
  }

  /**
   * Counting all that were filled took PostgreSQL three times as long with a million other rows,
   * for it used another index then. This is a step in each of the two indexes of pending events.
   */
  boolean isFinished() throws SQLException {
    if (kind != TestDatabase.POSTGRES || !filled) {
      return unfinished() == 0;
    }
    return Sql.number(
            filling,
            """
            SELECT count(*) FROM (
              (SELECT seq FROM outbox_event WHERE status IN (0, 2) AND locked_by IS NULL
                AND available_at BETWEEN '%s' AND '%s' ORDER BY available_at, seq LIMIT 1)
              UNION ALL
              (SELECT seq FROM outbox_event WHERE status IN (0, 2) AND locked_by IS NOT NULL
                AND locked_at > '%s' ORDER BY locked_at, seq LIMIT 1)) pending
            """
                .formatted(firstDue, lastDue, lastDue))
        == 0;
  }

  @Override
  public void close() {
    filling.close();
  }
}
