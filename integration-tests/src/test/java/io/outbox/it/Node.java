package io.outbox.it;

import com.zaxxer.hikari.HikariDataSource;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.RecordingMetrics;
import java.util.function.UnaryOperator;

/** An outbox as a process of its own would have it: with its own pool and transactions. */
final class Node implements AutoCloseable {

  private static final int POOL_SIZE = 12;

  final String name;
  final HikariDataSource pool;
  final ThreadLocalTxContext tx = new ThreadLocalTxContext();
  final JdbcTransactionManager transactions;
  final RecordingMetrics metrics = new RecordingMetrics();
  private final ConnectionProvider connections;
  private final OutboxStore store;
  private Outbox outbox;

  /**
   * A node that is not started.
   *
   * @param writing what to make of the connections for writing, such as slow or broken ones
   */
  Node(Scenario scenario, String name, UnaryOperator<ConnectionProvider> writing) {
    this.name = name;
    this.pool = scenario.database.pooled(POOL_SIZE);
    this.connections = new DataSourceConnectionProvider(pool);
    this.store = scenario.store;
    this.transactions = new JdbcTransactionManager(writing.apply(connections), tx);
  }

  Node(Scenario scenario, String name) {
    this(scenario, name, UnaryOperator.identity());
  }

  Node start(Outbox.AbstractBuilder<?> builder, EventListener listener) {
    outbox =
        builder
            .connectionProvider(connections)
            .txContext(tx)
            .outboxStore(store)
            .metrics(metrics)
            .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
            .build();
    return this;
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
}
