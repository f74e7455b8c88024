package io.outbox.samples.kafka;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.kafka.KafkaPublisher;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.h2.jdbcx.JdbcConnectionPool;

/** Takes orders: its own database, and an outbox that publishes to Kafka. */
final class OrderService implements AutoCloseable {

  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final JdbcConnectionPool dataSource = Databases.inMemory("shop");
  private final Connection keptOpen; // an H2 in memory lives as long as somebody is connected
  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions;
  private final KafkaPublisher publisher;
  private final Outbox outbox;

  /** {@code every}: of so many messages, one is sent twice. */
  OrderService(Topic topic, int every) throws SQLException {
    keptOpen = dataSource.getConnection();
    try (Statement statement = keptOpen.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY)");
    }
    OutboxSchema.create(dataSource);
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    transactions = new JdbcTransactionManager(connections, txContext);
    publisher =
        KafkaPublisher.builder()
            .bootstrapServers(topic.bootstrapServers())
            .destination(topic.name())
            .build();
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(
                new DefaultListenerRegistry()
                    .registerDefaultAsync(sendingSomeTwice(publisher, every)))
            .build();
  }

  /** What a lost acknowledgement leads to, only more often. */
  private static AsyncEventListener sendingSomeTwice(AsyncEventListener publisher, int every) {
    AtomicInteger count = new AtomicInteger();
    return event ->
        count.incrementAndGet() % every == 0
            ? publisher
                .onEvent(event)
                .thenCombine(publisher.onEvent(event), (first, second) -> second)
            : publisher.onEvent(event);
  }

  void place(String orderId) throws SQLException {
    try (Transaction transaction = transactions.begin()) {
      insertWithEvent(orderId);
      transaction.commit();
    }
  }

  void placeAndRollBack(String orderId) throws SQLException {
    try (Transaction transaction = transactions.begin()) {
      insertWithEvent(orderId);
      transaction.rollback();
    }
  }

  private void insertWithEvent(String orderId) throws SQLException {
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
  }

  int orders() throws SQLException {
    return Databases.count(dataSource, "SELECT count(*) FROM orders");
  }

  /** Waits until so many events are DONE. */
  void awaitPublished(int events) throws Exception {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    String done = "SELECT count(*) FROM outbox_event WHERE status = " + EventStatus.DONE.code();
    while (Databases.count(dataSource, done) < events) {
      if (System.nanoTime() - deadline > 0) {
        throw new IllegalStateException("not all events were published in a minute");
      }
      Thread.sleep(10);
    }
  }

  @Override
  public void close() throws SQLException {
    outbox.close();
    publisher.close();
    keptOpen.close();
    dataSource.dispose();
  }
}
