package io.outbox.benchmarks.contestant;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

final class Sql {
  private Sql() {}

  static long number(DataSource dataSource, String query) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    }
  }

  static void execute(DataSource dataSource, String... statements) throws SQLException {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }
}
