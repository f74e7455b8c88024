package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** An H2 with the outbox table, and the names that the pages use without explaining them. */
abstract class DocsDatabase {

  /** Some examples let events fail, which is logged as it should be. */
  private static final Logger LIBRARY_LOG = Logger.getLogger("io.outbox");

  static final Duration SOON = Duration.ofSeconds(60);

  DataSource dataSource;
  ConnectionProvider connectionProvider;
  ThreadLocalTxContext txContext;
  JdbcTransactionManager transactions;
  OutboxStore store;
  DefaultListenerRegistry listeners;
  RecordingListener listener;

  private JdbcConnectionPool pool;

  @BeforeEach
  void createDatabase() throws SQLException {
    LIBRARY_LOG.setLevel(Level.OFF);
    String url = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";
    pool = JdbcConnectionPool.create(url, "sa", "");
    dataSource = pool;
    execute("CREATE TABLE orders (id VARCHAR(20) PRIMARY KEY, cents INT NOT NULL)");
    OutboxSchema.create(dataSource);
    connectionProvider = new DataSourceConnectionProvider(dataSource);
    txContext = new ThreadLocalTxContext();
    transactions = new JdbcTransactionManager(connectionProvider, txContext);
    store = JdbcOutboxStores.detect(dataSource);
    listeners = new DefaultListenerRegistry();
    listener = new RecordingListener();
  }

  @AfterEach
  void dropDatabase() throws SQLException {
    execute("SHUTDOWN");
    pool.dispose();
  }

  /** What the guide says it is, and an interval for the impatient. */
  Outbox.SingleNodeBuilder singleNode() {
    return Outbox.singleNode()
        .connectionProvider(connectionProvider)
        .txContext(txContext)
        .outboxStore(store)
        .listenerRegistry(listeners)
        .intervalMs(500);
  }

  /** The business data of the examples. */
  static void insertOrder(Connection connection, String id) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO orders VALUES (?, 1999)")) {
      insert.setString(1, id);
      insert.executeUpdate();
    }
  }

  void execute(String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  int count(String from) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT count(*) FROM " + from)) {
      rows.next();
      return rows.getInt(1);
    }
  }

  int events(EventStatus status) throws SQLException {
    return count("outbox_event WHERE status = " + status.code());
  }

  /** Waits until so many events have this status. */
  void awaitEvents(EventStatus status, int count) throws SQLException {
    Await.until(
        count + " events " + status,
        SOON,
        () -> {
          try {
            return events(status) >= count;
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
    assertThat(events(status)).isEqualTo(count);
  }
}
