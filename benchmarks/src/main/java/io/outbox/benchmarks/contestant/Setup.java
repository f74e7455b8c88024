package io.outbox.benchmarks.contestant;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * The database a contestant works on, and what is asked of it.
 *
 * @param inFlight how many listeners shall run at the same time; 0 leaves it to the contestant
 * @param listenerMillis after which time a listener answers that does not block
 * @param commits notes the time of each commit, or null
 */
public record Setup(
    TestDatabase kind,
    String url,
    String user,
    String password,
    int inFlight,
    int listenerMillis,
    CommitTimes commits) {

  HikariDataSource pool(int size) {
    return pool(size, "");
  }

  /** Batches are sent as few statements: a setting of the driver, the same for all. */
  private HikariDataSource pool(int size, String more) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(
        kind == TestDatabase.POSTGRES ? with(url, "reWriteBatchedInserts=true" + more) : url);
    config.setUsername(user);
    config.setPassword(password);
    config.setMaximumPoolSize(size);
    // All connections are there before the clock runs.
    config.setMinimumIdle(size);
    return new HikariDataSource(config);
  }

  /** For filling tables: texts fit columns of any type. */
  HikariDataSource fillingPool() {
    return pool(1, "&stringtype=unspecified");
  }

  DataSource watched(DataSource pool) {
    return commits == null ? pool : commits.watch(pool);
  }

  int inFlightOr(int other) {
    return inFlight > 0 ? inFlight : other;
  }

  private static String with(String url, String parameter) {
    return url + (url.contains("?") ? "&" : "?") + parameter;
  }

  /** Statistics are fresh and nothing is left to be written when the clock starts. */
  public void settle() throws SQLException {
    try (HikariDataSource pool = fillingPool();
        Connection conn = pool.getConnection();
        Statement statement = conn.createStatement()) {
      switch (kind) {
        case POSTGRES -> {
          statement.execute("VACUUM ANALYZE");
          statement.execute("CHECKPOINT");
        }
        case H2 -> statement.execute("ANALYZE");
        default -> {
          String tables = tables(statement);
          if (!tables.isEmpty()) {
            statement.execute("ANALYZE TABLE " + tables);
          }
        }
      }
    }
  }

  private static String tables(Statement statement) throws SQLException {
    try (ResultSet rows =
        statement.executeQuery(
            "SELECT group_concat(table_name) FROM information_schema.tables"
                + " WHERE table_schema = database()")) {
      rows.next();
      return rows.getString(1) == null ? "" : rows.getString(1);
    }
  }
}
