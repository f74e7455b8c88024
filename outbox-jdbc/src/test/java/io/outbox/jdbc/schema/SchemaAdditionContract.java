package io.outbox.jdbc.schema;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.store.Target;
import io.outbox.testdb.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every addition to the outbox table must do on every database. */
abstract class SchemaAdditionContract {

  static final JdbcTemplate JDBC = new JdbcTemplate();
  private static final String LONGEST = "a".repeat(50);

  final Target target;
  Database database;
  DataSource dataSource;

  SchemaAdditionContract(Target target) {
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

  /** Creates an outbox table and the addition, and does something with both. */
  abstract void createAndUse(String table) throws SQLException;

  final void execute(String... statements) throws SQLException {
    try (Connection conn = dataSource.getConnection()) {
      for (String sql : statements) {
        JDBC.update(conn, sql);
      }
    }
  }

  /** As nodes do that start together. */
  static void fourTimesAtOnce(Runnable action) throws Exception {
    ExecutorService nodes = Executors.newFixedThreadPool(4);
    try {
      for (Future<?> node : nodes.invokeAll(Collections.nCopies(4, Executors.callable(action)))) {
        node.get();
      }
    } finally {
      nodes.shutdownNow();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"outbox_event", "Orders_Outbox", "%s.outbox_event", "%s.MyEvents"})
  void aTableOfAnyNameIsServed(String name) throws SQLException {
    String schema = "other_" + database.name();
    execute("CREATE SCHEMA " + schema);
    try {
      createAndUse(name.formatted(schema));
    } finally {
      execute(target.dropSchema(schema));
    }
  }

  @Test
  void theLongestNameOfATableLeavesRoomForTheOthers() throws SQLException {
    createAndUse(LONGEST);
  }
}
