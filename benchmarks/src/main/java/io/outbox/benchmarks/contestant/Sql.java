package io.outbox.benchmarks.contestant;

import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

final class Sql {
  private Sql() {}

  /** An expression for a new UUID. */
  static String newUuid(TestDatabase kind) {
    return switch (kind) {
      case POSTGRES -> "gen_random_uuid()";
      case H2 -> "RANDOM_UUID()";
      default -> "UUID()";
    };
  }

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
