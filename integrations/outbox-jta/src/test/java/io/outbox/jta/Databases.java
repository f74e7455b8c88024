package io.outbox.jta;

import io.agroal.api.AgroalDataSource;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/**
 * A database with an empty outbox, and a pool of it that takes part in JTA transactions. Each lives
 * as long as the JVM.
 */
final class Databases {

  static final int POOL = 16;

  /** PostgreSQL prepares no transaction at its default settings; stopped when the JVM ends. */
  private static final class XaPostgres {
    static final DedicatedServer SERVER =
        TestDatabase.POSTGRES.dedicatedServer(Map.of("max_prepared_transactions", "64"));
  }

  private static final Map<String, Databases> OPEN = new HashMap<>();

  private final Database database;
  private final AgroalDataSource pool;

  private Databases(Database database, AgroalDataSource pool) {
    this.database = database;
    this.pool = pool;
  }

  static Database fresh(TestDatabase kind) {
    return kind == TestDatabase.POSTGRES ? XaPostgres.SERVER.fresh() : kind.fresh();
  }

  /** The one of this JVM, emptied. */
  static Databases of(TestDatabase kind, Narayana.Part part) throws SQLException {
    Databases found = get(kind, part);
    found.clear();
    return found;
  }

  static Databases get(TestDatabase kind, Narayana.Part part) throws SQLException {
    String key = kind + " " + part;
    if (!OPEN.containsKey(key)) {
      OPEN.put(key, open(kind, part));
    }
    return OPEN.get(key);
  }

  private static Databases open(TestDatabase kind, Narayana.Part part) throws SQLException {
    Database database = fresh(kind);
    OutboxSchema.create(database.dataSource());
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
    }
    return new Databases(database, Narayana.ofTests().pool(database, part, POOL));
  }

  Database database() {
    return database;
  }

  AgroalDataSource pool() {
    return pool;
  }

  private void clear() throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM orders");
      statement.executeUpdate("DELETE FROM outbox_event");
    }
  }

  /** What is committed. */
  List<String> column(String sql) throws SQLException {
    return column(database.dataSource(), sql);
  }

  static List<String> column(DataSource dataSource, String sql) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }
}
