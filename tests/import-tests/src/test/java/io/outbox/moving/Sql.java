package io.outbox.moving;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Looks at tables. */
final class Sql {

  private Sql() {}

  static void execute(DataSource dataSource, String sql) {
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }

  static long count(DataSource dataSource, String what) {
    String sql = "SELECT count(*) FROM " + what;
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(sql, e);
    }
  }
}
