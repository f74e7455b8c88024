package io.outbox.testbrokers;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** An outbox on a fresh database. */
final class RunningOutbox implements AutoCloseable {

  private final JdbcTemplate jdbc = new JdbcTemplate();
  private final Database database;
  private final HikariDataSource pool;
  private final JdbcTransactionManager transactions;
  private final Outbox outbox;

  private RunningOutbox(
      Database database, Outbox.AbstractBuilder<?> builder, ListenerRegistry registry) {
    this.database = database;
    this.pool = database.pooled(12);
    OutboxSchema.create(pool);
    if (builder instanceof Outbox.OrderedByKeyBuilder) {
      OutboxSchema.createOrderedByKey(pool);
    }
    ThreadLocalTxContext tx = new ThreadLocalTxContext();
    ConnectionProvider connections = new DataSourceConnectionProvider(pool);
    this.transactions = new JdbcTransactionManager(connections, tx);
    this.outbox =
        builder
            .connectionProvider(connections)
            .txContext(tx)
            .outboxStore(JdbcOutboxStores.detect(pool))
            .listenerRegistry(registry)
            .build();
  }

  /** With default settings but for those of the builder. */
  static RunningOutbox on(
      TestDatabase kind, Outbox.AbstractBuilder<?> builder, ListenerRegistry registry) {
    return new RunningOutbox(kind.fresh(), builder, registry);
  }

  /** In a new transaction. */
  void write(List<EventEnvelope> events) {
    transactions.run(transaction -> outbox.writer().writeAll(events));
  }

  /** Whether every event is DONE or DEAD. */
  boolean isFinished() {
    return counts().keySet().stream().noneMatch(EventStatus::isPending);
  }

  Map<EventStatus, Integer> counts() {
    Map<EventStatus, Integer> counts = new EnumMap<>(EventStatus.class);
    try (Connection connection = pool.getConnection()) {
      jdbc.query(
          connection,
          "SELECT status, COUNT(*) FROM outbox_event GROUP BY status",
          row -> counts.put(EventStatus.fromCode(row.getInt(1)), row.getInt(2)));
      return counts;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The failures that were counted for the event that had most of them. */
  int maxAttempts() {
    return only("SELECT MAX(attempts) FROM outbox_event", Integer.class);
  }

  String errorOf(EventEnvelope event) {
    return only("SELECT last_error FROM outbox_event WHERE event_id = ?", String.class, event);
  }

  private <T> T only(String sql, Class<T> type, EventEnvelope... events) {
    Object[] ids = List.of(events).stream().map(EventEnvelope::eventId).toArray();
    try (Connection connection = pool.getConnection()) {
      return jdbc.query(connection, sql, row -> row.getObject(1, type), ids).get(0);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    outbox.close();
    database.close();
  }
}
