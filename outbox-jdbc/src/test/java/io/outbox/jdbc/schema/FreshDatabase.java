package io.outbox.jdbc.schema;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.store.Target;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Each test has an empty database of its own. */
abstract class FreshDatabase {

  static final JdbcTemplate JDBC = new JdbcTemplate();

  final Target target;
  Database database;
  DataSource dataSource;

  FreshDatabase(Target target) {
    this.target = target;
  }

  @BeforeEach
  void createDatabase() {
    database = target.fresh();
    dataSource = target.dataSource(database);
  }

  @AfterEach
  void dropDatabase() {
    database.close();
  }

  /** As {@code OutboxSchema.ddl} calls it. */
  final String product() {
    return target.product().toString().toLowerCase(Locale.ROOT);
  }

  final void execute(String... statements) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      for (String sql : statements) {
        JDBC.update(conn, sql);
      }
    }
  }
}
