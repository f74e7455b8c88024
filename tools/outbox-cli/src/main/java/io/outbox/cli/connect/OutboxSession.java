package io.outbox.cli.connect;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.operate.OutboxOperator;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import javax.sql.DataSource;

/** A connection to an outbox table, for one thread. */
public final class OutboxSession implements AutoCloseable {

  private final Target target;
  private final SingleConnection dataSource;
  private AbstractJdbcOutboxStore store;

  public OutboxSession(Target target) {
    this.target = target;
    this.dataSource = new SingleConnection(target);
  }

  public JdbcUrl url() {
    return target.url();
  }

  public String table() {
    return target.table();
  }

  public DataSource dataSource() {
    return dataSource;
  }

  /** The connection; it is not for the caller to close. */
  public Connection connection() {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw new ConnectionProblem("the connection to " + url() + " broke: " + e.getMessage(), e);
    }
  }

  public AbstractJdbcOutboxStore store() {
    if (store == null) {
      store = JdbcOutboxStores.detect(dataSource, table());
    }
    return store;
  }

  public OutboxOperator operator() {
    return OutboxOperator.of(new DataSourceConnectionProvider(dataSource), store());
  }

  /** The database's time. */
  public Instant now() {
    return store().currentTime(connection()).orElseGet(Instant::now);
  }

  /** Forgets a connection that may be broken. */
  public void reconnect() {
    dataSource.close();
  }

  @Override
  public void close() {
    dataSource.close();
  }
}
