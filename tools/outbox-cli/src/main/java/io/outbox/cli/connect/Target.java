package io.outbox.cli.connect;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;

/** A table in a database, and how to get there. */
public final class Target {

  private static final String CONNECT_SECONDS = "10";

  private final JdbcUrl url;
  private final Drivers.Route route;
  private final String user;
  private final String password;
  private final String table;

  Target(JdbcUrl url, Drivers.Route route, String user, String password, String table) {
    this.url = Objects.requireNonNull(url, "url");
    this.route = Objects.requireNonNull(route, "route");
    this.user = user;
    this.password = password;
    this.table = Objects.requireNonNull(table, "table");
  }

  /** As it was given. */
  public JdbcUrl url() {
    return url;
  }

  public String table() {
    return table;
  }

  /** A pool for programs that run for long; to be closed. */
  public HikariDataSource pool(int size) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("outbox");
    config.setDataSource(new TargetDataSource(this));
    config.setMaximumPoolSize(size);
    config.setMinimumIdle(0);
    return new HikariDataSource(config);
  }

  /** Opens a connection. */
  Connection connect() {
    try {
      Connection conn = route.driver().connect(route.url().text(), properties());
      if (conn == null) {
        throw new ConnectionProblem("the driver refuses the address " + url);
      }
      return conn;
    } catch (SQLException e) {
      throw new ConnectionProblem(
          "cannot connect to "
              + url
              + (user == null ? "" : " as " + user)
              + ": "
              + JdbcUrl.redact(String.valueOf(e.getMessage())),
          e);
    }
  }

  private Properties properties() {
    Properties properties = new Properties();
    put(properties, "user", user);
    put(properties, "password", password);
    switch (route.url().scheme()) {
      case "postgresql" -> {
        put(properties, "ApplicationName", "outbox");
        put(properties, "connectTimeout", CONNECT_SECONDS);
        put(properties, "loginTimeout", CONNECT_SECONDS);
      }
      case "mariadb" -> put(properties, "connectTimeout", CONNECT_SECONDS + "000");
      default -> {}
    }
    return properties;
  }

  private static void put(Properties properties, String name, String value) {
    if (value != null) {
      properties.setProperty(name, value);
    }
  }
}
