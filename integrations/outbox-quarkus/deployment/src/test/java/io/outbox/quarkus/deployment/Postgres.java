package io.outbox.quarkus.deployment;

import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.quarkus.test.QuarkusUnitTest;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.extension.BeforeAllCallback;

/**
 * One PostgreSQL for the tests of a JVM. Test classes are loaded twice, by JUnit and by Quarkus;
 * system properties tell the second that there is a server.
 */
final class Postgres {

  private static final String PREFIX = "outbox.quarkus.postgres.";
  private static final String URL = "quarkus.datasource.jdbc.url";
  private static final String USER = "quarkus.datasource.username";
  private static final String PASSWORD = "quarkus.datasource.password";

  private Postgres() {}

  /** An application on a database of its own. */
  static QuarkusUnitTest configure(String name, QuarkusUnitTest application) {
    settings(name).forEach(application::overrideConfigKey);
    return application;
  }

  /** The settings of a datasource on the database of this name. */
  static synchronized Map<String, String> settings(String name) {
    if (System.getProperty(PREFIX + name) == null) {
      Database database = TestDatabase.POSTGRES.fresh();
      System.setProperty(PREFIX + name, database.jdbcUrl());
      System.setProperty(PREFIX + "user", database.user());
      System.setProperty(PREFIX + "password", database.password());
    }
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("quarkus.datasource.db-kind", "postgresql");
    settings.put(URL, System.getProperty(PREFIX + name));
    settings.put(USER, System.getProperty(PREFIX + "user"));
    settings.put(PASSWORD, System.getProperty(PREFIX + "password"));
    settings.put("quarkus.outbox.schema.initialize", "always");
    return settings;
  }

  /**
   * Empties a database before the application starts: a test class that failed may run once more,
   * in the same JVM.
   */
  static BeforeAllCallback emptied(String name) {
    return context -> execute(name, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public");
  }

  static void execute(String name, String... statements) throws SQLException {
    try (Connection connection = connect(name);
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  static Connection connect(String name) throws SQLException {
    Map<String, String> settings = settings(name);
    return DriverManager.getConnection(
        settings.get(URL), settings.get(USER), settings.get(PASSWORD));
  }
}
