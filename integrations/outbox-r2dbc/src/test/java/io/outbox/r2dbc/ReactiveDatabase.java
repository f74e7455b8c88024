package io.outbox.r2dbc;

import static io.r2dbc.spi.ConnectionFactoryOptions.DATABASE;
import static io.r2dbc.spi.ConnectionFactoryOptions.DRIVER;
import static io.r2dbc.spi.ConnectionFactoryOptions.HOST;
import static io.r2dbc.spi.ConnectionFactoryOptions.PASSWORD;
import static io.r2dbc.spi.ConnectionFactoryOptions.PORT;
import static io.r2dbc.spi.ConnectionFactoryOptions.PROTOCOL;
import static io.r2dbc.spi.ConnectionFactoryOptions.USER;

import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import io.r2dbc.pool.ConnectionPool;
import io.r2dbc.pool.ConnectionPoolConfiguration;
import io.r2dbc.spi.ConnectionFactories;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.ConnectionFactoryOptions;
import java.net.URI;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A database with an outbox and a table of orders, reached by JDBC and by R2DBC. */
final class ReactiveDatabase implements AutoCloseable {

  /** So long that only a wake-up after the commit delivers while a test waits. */
  static final long NEVER_MS = 600_000;

  final DataSource dataSource;
  final ConnectionProvider connectionProvider;
  final ConnectionPool pool;
  final AbstractJdbcOutboxStore store;
  private final Database database;

  ReactiveDatabase(TestDatabase kind) {
    database = kind.fresh();
    dataSource = database.pooled(8);
    connectionProvider = new DataSourceConnectionProvider(dataSource);
    OutboxSchema.create(dataSource);
    OutboxSchema.createOrderedByKey(dataSource);
    update("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)");
    store = JdbcOutboxStores.detect(dataSource);
    pool =
        new ConnectionPool(
            ConnectionPoolConfiguration.builder(connectionFactory()).maxSize(16).build());
  }

  /** Without a pool. */
  ConnectionFactory connectionFactory() {
    ConnectionFactoryOptions.Builder options =
        ConnectionFactoryOptions.builder()
            .option(USER, database.user())
            .option(PASSWORD, database.password());
    if (database.kind() == TestDatabase.H2) {
      options.option(DRIVER, "h2").option(PROTOCOL, "mem");
    } else {
      URI uri = URI.create(database.jdbcUrl().substring("jdbc:".length()));
      options.option(DRIVER, uri.getScheme()).option(HOST, uri.getHost());
      options.option(PORT, uri.getPort());
    }
    return ConnectionFactories.get(options.option(DATABASE, database.name()).build());
  }

  /** With everything that each mode needs but its own settings. */
  <B extends Outbox.DispatchingBuilder<B>> B configured(B builder, RecordingListener listener) {
    return builder
        .connectionProvider(connectionProvider)
        .txContext(new ThreadLocalTxContext())
        .outboxStore(store)
        .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
        .intervalMs(NEVER_MS);
  }

  void clear() {
    update("DELETE FROM outbox_event");
    update("DELETE FROM orders");
  }

  void update(String sql) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.executeUpdate(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  /** The first column. */
  List<String> texts(String sql) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> texts = new ArrayList<>();
      while (rows.next()) {
        texts.add(rows.getString(1));
      }
      return texts;
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  List<String> eventIds() {
    return texts("SELECT event_id FROM outbox_event ORDER BY seq");
  }

  List<String> orders() {
    return texts("SELECT id FROM orders ORDER BY id");
  }

  @Override
  public void close() {
    pool.dispose();
    database.close();
  }
}
