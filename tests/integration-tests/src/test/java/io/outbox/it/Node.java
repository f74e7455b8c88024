package io.outbox.it;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.Database;
import io.outbox.testing.RecordingMetrics;
import java.sql.Connection;
import java.time.Duration;
import java.util.function.UnaryOperator;

/** An outbox as a process of its own would have it: with its own pool and transactions. */
final class Node implements AutoCloseable {

  private static final int POOL_SIZE = 12;

  final String name;
  private final HikariDataSource pool;
  final ThreadLocalTxContext tx = new ThreadLocalTxContext();
  final RecordingMetrics metrics = new RecordingMetrics();
  final Tap<OutboxStore> store;
  private final ConnectionProvider connections;
  private JdbcTransactionManager transactions;
  private ConnectionProvider engineConnections;
  private Outbox outbox;

  Node(Scenario scenario, String name) {
    this(scenario, name, Duration.ofSeconds(30));
  }

  /** With a pool that waits for a connection as long as {@code poolTimeout}. */
  Node(Scenario scenario, String name, Duration poolTimeout) {
    this.name = name;
    this.pool = pool(scenario.database, poolTimeout);
    this.connections = new DataSourceConnectionProvider(pool);
    this.store = scenario.storeTap();
    this.transactions = new JdbcTransactionManager(connections, tx);
    this.engineConnections = connections;
  }

  private static HikariDataSource pool(Database database, Duration timeout) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.jdbcUrl());
    config.setUsername(database.user());
    config.setPassword(database.password());
    config.setMaximumPoolSize(POOL_SIZE);
    config.setConnectionTimeout(timeout.toMillis());
    return new HikariDataSource(config);
  }

  /** Lets transactions run on connections that are not quite what they should be. */
  Node writingOn(UnaryOperator<Connection> connection) {
    transactions = new JdbcTransactionManager(through(connection), tx);
    return this;
  }

  /** Lets the engine work on connections that are not quite what they should be. */
  Node deliveringOn(UnaryOperator<Connection> connection) {
    engineConnections = through(connection);
    return this;
  }

  private ConnectionProvider through(UnaryOperator<Connection> connection) {
    return () -> connection.apply(connections.getConnection());
  }

  Node start(Outbox.AbstractBuilder<?> builder, EventListener listener) {
    outbox =
        builder
            .connectionProvider(engineConnections)
            .txContext(tx)
            .outboxStore(store.proxy())
            .metrics(metrics)
            .listenerRegistry(Scenario.to(listener))
            .build();
    return this;
  }

  /** Stops delivery, not writing. */
  void stop() {
    outbox.stop();
  }

  void restart() {
    outbox.start();
  }

  JdbcTransactionManager.Transaction begin() {
    return transactions.begin();
  }

  OutboxWriter writer() {
    return outbox.writer();
  }

  /** Delivers what is queued, then ends. */
  @Override
  public void close() {
    if (outbox != null) {
      outbox.close();
    }
    pool.close();
  }

  @Override
  public String toString() {
    return name + ": " + metrics;
  }
}
