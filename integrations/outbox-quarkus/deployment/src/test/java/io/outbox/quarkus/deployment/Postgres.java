package io.outbox.quarkus.deployment;

import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import io.quarkus.test.QuarkusUnitTest;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * One PostgreSQL for the tests of a JVM. Test classes are loaded twice, by JUnit and by Quarkus;
 * system properties tell the second that there is a server.
 */
final class Postgres {

  private static final String PREFIX = "outbox.quarkus.postgres.";

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
    settings.put("quarkus.datasource.jdbc.url", System.getProperty(PREFIX + name));
    settings.put("quarkus.datasource.username", System.getProperty(PREFIX + "user"));
    settings.put("quarkus.datasource.password", System.getProperty(PREFIX + "password"));
    settings.put("quarkus.outbox.schema.initialize", "always");
    return settings;
  }
}
