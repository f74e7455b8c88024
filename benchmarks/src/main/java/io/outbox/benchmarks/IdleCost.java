package io.outbox.benchmarks;

import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** What a server is asked while there is nothing to deliver. */
record IdleCost(DataSource dataSource, TestDatabase kind) {

  /** What is counted; empty if the database counts nothing. */
  String unit() {
    return switch (kind) {
      case POSTGRES -> "transactions";
      case H2 -> "";
      default -> "SELECT statements";
    };
  }

  /** PostgreSQL hears only after ten seconds what a session did that is idle since. */
  private static final int START_SECONDS = 15;

  /** Counts for some seconds, after a while in which those who were started become idle. */
  double perSecond(int seconds) throws SQLException, InterruptedException {
    TimeUnit.SECONDS.sleep(START_SECONDS);
    String counter =
        kind == TestDatabase.POSTGRES
            ? "SELECT xact_commit + xact_rollback FROM pg_stat_database"
                + " WHERE datname = current_database()"
            : "SHOW GLOBAL STATUS LIKE 'Com_select'";
    long before = ask(counter);
    long began = System.nanoTime();
    TimeUnit.SECONDS.sleep(seconds);
    return (ask(counter) - before) * 1e9 / (System.nanoTime() - began);
  }

  /** The last column of the only row. */
  private long ask(String sql) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(row.getMetaData().getColumnCount());
    }
  }
}
