package io.outbox.cli.connect;

import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.operate.OutboxOperator;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.Set;
import javax.sql.DataSource;

/** A connection to an outbox table, for one thread. */
public final class OutboxSession implements AutoCloseable {

  /** Of PostgreSQL (also: no such schema), MySQL and MariaDB, H2. */
  private static final Set<String> NO_SUCH_TABLE =
      Set.of("42P01", "3F000", "42S02", "42S03", "42S04", "90079");

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

  /** Whether the outbox table is there, whatever its shape. */
  public boolean hasTable() {
    store(); // refuses what is no table name
    try (Statement statement = connection().createStatement()) {
      statement.executeQuery("SELECT 1 FROM " + table() + " WHERE 1 = 0").close();
      return true;
    } catch (SQLException e) {
      return !NO_SUCH_TABLE.contains(String.valueOf(e.getSQLState()));
    }
  }

  /** Says what to do if the outbox table is not there. */
  public void requireTable() {
    if (!hasTable()) {
      throw new ConnectionProblem(
          "there is no table "
              + table()
              + " in "
              + url()
              + ": name another --table or --url, or create it with: outbox schema create");
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
