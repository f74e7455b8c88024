package io.outbox.benchmarks;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A fresh database with the outbox table, ready to be measured. */
final class Workbench implements AutoCloseable {

  private final Database database;
  final HikariDataSource pool;
  final ThreadLocalTxContext tx = new ThreadLocalTxContext();
  final JdbcTransactionManager transactions;
  private final DataSourceConnectionProvider connections;
  private final AbstractJdbcOutboxStore store;

  Workbench(Database database) {
    this.database = database;
    this.pool = database.pooled(10);
    OutboxSchema.create(pool);
    this.store = JdbcOutboxStores.detect(pool);
    this.connections = new DataSourceConnectionProvider(pool);
    this.transactions = new JdbcTransactionManager(connections, tx);
  }

  /** Wired with one listener for everything; all other settings are the defaults. */
  <B extends Outbox.AbstractBuilder<B>> B wire(B builder, EventListener listener) {
    return builder
        .connectionProvider(connections)
        .txContext(tx)
        .outboxStore(store)
        .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener));
  }

  /** Fills the table with waiting events of about 200 bytes. */
  void fill(int events) throws SQLException {
    String sql =
        """
        INSERT INTO outbox_event (event_id, event_type, aggregate_type, aggregate_id, payload,
          status, attempts, available_at, created_at)
        SELECT 'e' || lpad(n::text, 25, '0'), 'Measured', 'Order', n::text,
          json_build_object('n', n, 'text', repeat('x', 180)), 0, 0,
          now() - interval '1 minute' + n * interval '1 microsecond',
          now() - interval '1 minute' + n * interval '1 microsecond'
        FROM generate_series(1, ?) AS n
        """;
    try (Connection conn = pool.getConnection();
        PreparedStatement insert = conn.prepareStatement(sql)) {
      insert.setInt(1, events);
      insert.executeUpdate();
      try (Statement statement = conn.createStatement()) {
        statement.execute("VACUUM ANALYZE outbox_event");
        statement.execute("CHECKPOINT");
      }
    }
  }

  /** Waits until {@code events} are DONE in the table. */
  void awaitDone(int events) throws SQLException {
    long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(5);
    while (countDone() < events) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "only " + countDone() + " of " + events + " events were done within 5 minutes");
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
    }
  }

  private int countDone() throws SQLException {
    try (Connection conn = pool.getConnection();
        Statement statement = conn.createStatement();
        ResultSet result =
            statement.executeQuery("SELECT count(*) FROM outbox_event WHERE status = 1")) {
      result.next();
      return result.getInt(1);
    }
  }

  @Override
  public void close() {
    database.close();
  }
}
