package io.outbox.samples.demo;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dead.DeadEventManager;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.h2.jdbcx.JdbcConnectionPool;

/** Everything that stands on the stage: a database, transactions, and the outbox itself. */
final class Stage implements AutoCloseable {

  /** An event that became DEAD, as the outbox reported it. */
  record DeathNotice(EventEnvelope event, String reason) {}

  private final JdbcConnectionPool dataSource =
      JdbcConnectionPool.create("jdbc:h2:mem:outbox-demo", "sa", "");
  private final DataSourceConnectionProvider connections =
      new DataSourceConnectionProvider(dataSource);
  private final ThreadLocalTxContext txContext = new ThreadLocalTxContext();
  private final JdbcTransactionManager transactions =
      new JdbcTransactionManager(connections, txContext);
  private final DefaultListenerRegistry listeners = new DefaultListenerRegistry();
  private final BlockingQueue<DeathNotice> deathNotices = new LinkedBlockingQueue<>();
  private final Connection keptOpen; // an H2 in memory lives as long as somebody is connected
  private final OutboxStore store;
  private Outbox outbox;

  Stage(List<Chapter> chapters) throws SQLException {
    keptOpen = dataSource.getConnection();
    try (Statement statement = keptOpen.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, cents INT NOT NULL)");
    }
    OutboxSchema.create(dataSource);
    store = JdbcOutboxStores.detect(dataSource);
    chapters.forEach(chapter -> chapter.register(listeners));
    startOutbox();
  }

  void startOutbox() {
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners)
            .intervalMs(1000)
            .onDead((event, reason) -> deathNotices.add(new DeathNotice(event, reason)))
            .build();
  }

  void stopOutbox() {
    outbox.close();
  }

  OutboxWriter writer() {
    return outbox.writer();
  }

  JdbcTransactionManager transactions() {
    return transactions;
  }

  DeadEventManager deadEvents() {
    return new DeadEventManager(connections, store);
  }

  BlockingQueue<DeathNotice> deathNotices() {
    return deathNotices;
  }

  /** Business data, written in the current transaction. */
  void insertOrder(String id, int cents) throws SQLException {
    try (PreparedStatement insert =
        txContext.currentConnection().prepareStatement("INSERT INTO orders VALUES (?, ?)")) {
      insert.setString(1, id);
      insert.setInt(2, cents);
      insert.executeUpdate();
    }
  }

  boolean hasOrder(String id) throws SQLException {
    return count("SELECT count(*) FROM orders WHERE id = ?", id) > 0;
  }

  boolean hasEvent(String eventId) throws SQLException {
    return count("SELECT count(*) FROM outbox_event WHERE event_id = ?", eventId) > 0;
  }

  private int count(String sql, String id) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        PreparedStatement query = connection.prepareStatement(sql)) {
      query.setString(1, id);
      try (ResultSet rows = query.executeQuery()) {
        rows.next();
        return rows.getInt(1);
      }
    }
  }

  Map<EventStatus, Integer> countByStatus() throws SQLException {
    Map<EventStatus, Integer> counts = new EnumMap<>(EventStatus.class);
    try (Connection connection = dataSource.getConnection();
        Statement query = connection.createStatement();
        ResultSet rows =
            query.executeQuery("SELECT status, count(*) FROM outbox_event GROUP BY status")) {
      while (rows.next()) {
        counts.put(EventStatus.fromCode(rows.getInt(1)), rows.getInt(2));
      }
    }
    return counts;
  }

  /** A listener is told first and the table second: a little later every row is up to date. */
  void awaitNothingPending() throws Exception {
    Promise.soon(
        "no event is pending",
        () -> countByStatus().keySet().stream().noneMatch(EventStatus::isPending));
  }

  @Override
  public void close() throws SQLException {
    stopOutbox();
    keptOpen.close();
    dataSource.dispose();
  }
}
