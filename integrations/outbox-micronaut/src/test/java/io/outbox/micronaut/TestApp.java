package io.outbox.micronaut;

import io.micronaut.context.ApplicationContext;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A Micronaut application with HikariCP on a real database, which lives as long as the JVM. */
final class TestApp implements AutoCloseable {

  static final int POOL = 16;

  private static final Map<TestDatabase, Database> DATABASES = new EnumMap<>(TestDatabase.class);

  private final ApplicationContext context;
  private final Database database;

  private TestApp(ApplicationContext context, Database database) {
    this.context = context;
    this.database = database;
  }

  /** Starts one; tests choose their beans by the property {@code spec}. */
  static TestApp start(
      TestDatabase kind, String spec, Map<String, ?> properties, Object... singletons) {
    Database database = database(kind);
    Map<String, Object> all = new LinkedHashMap<>(properties(database, spec));
    all.putAll(properties);
    return new TestApp(
        ApplicationContext.builder()
            .environments("test")
            .deduceEnvironment(false)
            .properties(all)
            .singletons(singletons)
            .start(),
        database);
  }

  static Map<String, Object> properties(Database database, String spec) {
    return Map.of(
        "spec",
        spec,
        "datasources.default.url",
        database.jdbcUrl(),
        "datasources.default.username",
        database.user(),
        "datasources.default.password",
        database.password(),
        "datasources.default.maximum-pool-size",
        POOL,
        "micronaut.server.port",
        "-1");
  }

  static synchronized Database database(TestDatabase kind) {
    return DATABASES.computeIfAbsent(
        kind,
        key -> {
          Database database = key.fresh();
          OutboxSchema.create(database.dataSource());
          run(database, "CREATE TABLE orders (id VARCHAR(40) PRIMARY KEY)");
          return database;
        });
  }

  /** Empties the tables. */
  static void clear(TestDatabase kind) {
    run(database(kind), "DELETE FROM orders", "DELETE FROM outbox_event");
  }

  private static void run(Database database, String... statements) {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  ApplicationContext context() {
    return context;
  }

  <T> T get(Class<T> type) {
    return context.getBean(type);
  }

  Database database() {
    return database;
  }

  /** What is committed. */
  List<String> column(String sql) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<String> values = new ArrayList<>();
      while (rows.next()) {
        values.add(rows.getString(1));
      }
      return values;
    }
  }

  @Override
  public void close() {
    context.close();
  }
}
