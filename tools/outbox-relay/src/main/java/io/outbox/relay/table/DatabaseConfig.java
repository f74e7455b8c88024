package io.outbox.relay.table;

import com.zaxxer.hikari.HikariConfig;
import io.outbox.relay.yaml.Position;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.time.Duration;
import java.util.Map;

/**
 * How to reach a database.
 *
 * @param username null for none, as is the password
 * @param poolSize 0 for as many as its tables need
 * @param properties of the driver
 */
public record DatabaseConfig(
    String name,
    Position at,
    String url,
    String username,
    String password,
    int poolSize,
    Duration connectionTimeout,
    Map<String, String> properties) {

  private static final String JDBC = "jdbc:";
  private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration SHORTEST_TIMEOUT = Duration.ofMillis(250); // HikariCP's

  public DatabaseConfig {
    properties = Map.copyOf(properties);
  }

  /** Reads one of the section {@code databases}. */
  public static DatabaseConfig read(String name, Section section) {
    String url = section.address("url");
    if (url == null || url.isBlank()) {
      section.problem("url", "'url' is missing: such as jdbc:postgresql://host:5432/database");
    } else if (!url.startsWith(JDBC)) {
      section.problem("url", "must be an address such as jdbc:postgresql://host:5432/database");
    } else if (url.startsWith("jdbc:mysql:")) {
      section.problem("url", "write jdbc:mariadb: instead; its driver is here and talks to MySQL");
    }
    Values values = Values.of(section);
    DatabaseConfig database =
        new DatabaseConfig(
            name,
            section.at(),
            url,
            section.text("username"),
            section.secret("password"),
            values.integer("pool-size", 0, 2, 1000),
            values.duration("connection-timeout", CONNECTION_TIMEOUT, SHORTEST_TIMEOUT),
            section.properties("properties"));
    section.done();
    return database;
  }

  /**
   * Settings of a pool.
   *
   * @param needed how many connections its tables use at the same time
   */
  public HikariConfig pool(int needed) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("relay-" + name);
    config.setJdbcUrl(url);
    config.setUsername(username);
    config.setPassword(password);
    config.setMaximumPoolSize(poolSize == 0 ? needed : poolSize);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(connectionTimeout.toMillis());
    config.setInitializationFailTimeout(-1); // it is tried by ourselves, for a message of our own
    properties.forEach(config::addDataSourceProperty);
    return config;
  }

  /** With no password, though it may come from a record's generated one. */
  @Override
  public String toString() {
    return "database " + name;
  }
}
