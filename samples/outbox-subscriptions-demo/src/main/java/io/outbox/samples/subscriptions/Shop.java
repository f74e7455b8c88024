package io.outbox.samples.subscriptions;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcConnectionPool;

/** Takes orders, and knows nothing of who listens to them. */
final class Shop implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final JdbcConnectionPool dataSource =
      JdbcConnectionPool.create("jdbc:h2:mem:shop-" + UUID.randomUUID(), "sa", "");
  private final Connection keptOpen; // an H2 in memory lives as long as somebody is connected
  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions;
  private final OutboxOperator operator;
  private final Outbox outbox;

  Shop(DefaultListenerRegistry listeners) throws SQLException {
    keptOpen = dataSource.getConnection();
    try (Statement statement = keptOpen.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)");
    }
    OutboxSchema.create(dataSource);
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    AbstractJdbcOutboxStore store = JdbcOutboxStores.detect(dataSource);
    transactions = new JdbcTransactionManager(connections, txContext);
    operator = OutboxOperator.of(connections, store);
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .build();
  }

  void place(String orderId) throws SQLException {
    try (Transaction transaction = transactions.begin()) {
      try (PreparedStatement insert =
          txContext.currentConnection().prepareStatement("INSERT INTO orders VALUES (?)")) {
        insert.setString(1, orderId);
        insert.executeUpdate();
      }
      outbox
          .writer()
          .write(
              EventEnvelope.builder("OrderPlaced")
                  .aggregateType("Order")
                  .aggregateId(orderId)
                  .payloadJson("{\"orderId\": \"" + orderId + "\"}")
                  .build());
      transaction.commit();
    }
  }

  /** Waits until so many copies for a subscription have this status. */
  void await(String subscription, EventStatus status, int count) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    while (count(subscription, status) < count) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException(
            "%s has %d copies that are %s, not %d, after a minute"
                .formatted(subscription, count(subscription, status), status, count));
      }
      Thread.sleep(10);
    }
  }

  int count(String subscription, EventStatus status) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement query =
            connection.prepareStatement(
                "SELECT count(*) FROM outbox_event WHERE aggregate_type = ? AND status = ?")) {
      query.setString(1, "Order@@" + subscription);
      query.setInt(2, status.code());
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  /** Replays the DEAD copies for one subscription. */
  long replay(String subscription) {
    EventFilter dead =
        EventFilter.builder()
            .status(EventStatus.DEAD)
            .aggregateType("Order@@" + subscription)
            .build();
    return operator.perform(new OperatorAction.Replay(), dead).changed();
  }

  @Override
  public void close() throws SQLException {
    outbox.close();
    keptOpen.close();
    dataSource.dispose();
  }
}
