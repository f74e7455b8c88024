package io.outbox.samples.kafka;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcConnectionPool;

/** Databases in memory, one for each service. */
final class Databases {

  private Databases() {}

  static JdbcConnectionPool inMemory(String name) {
    return JdbcConnectionPool.create("jdbc:h2:mem:" + name + "-" + UUID.randomUUID(), "sa", "");
  }

  static int count(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement query = connection.createStatement();
        ResultSet rows = query.executeQuery(sql)) {
      rows.next();
      return rows.getInt(1);
    }
  }
}
