package io.outbox.testdb;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server is reached and how databases are made there. */
record Endpoint(TestDatabase kind, String url, String user, String password) {
  private static final Pattern URL = Pattern.compile("jdbc:\\w+:(//[^/?]+)(?:/[^?]*)?(\\?.*)?");

  Database createDatabase() {
    return createDatabase(this::drop);
  }

  /** A database that lives as long as its server. */
  Database createPermanentDatabase() {
    return createDatabase(name -> {});
  }

  private Database createDatabase(Consumer<String> drop) {
    String name = "outbox_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    switch (kind) {
      case H2 -> {}
      case POSTGRES -> execute("CREATE DATABASE " + name);
      default -> execute("CREATE DATABASE " + name + " CHARACTER SET utf8mb4");
    }
    return new Database(this, name, drop);
  }

  private void drop(String name) {
    switch (kind) {
      case H2 -> executeAt(url(name), "SHUTDOWN");
      case POSTGRES -> execute("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)");
      default -> {
        killSessions(name);
        execute("DROP DATABASE IF EXISTS " + name);
      }
    }
  }

  String url(String database) {
    if (kind == TestDatabase.H2) {
      return url + database + ";DB_CLOSE_DELAY=-1";
    }
    Matcher parts = parts();
    String scheme = url.substring(0, url.indexOf("//"));
    String parameters = parts.group(2) == null ? "" : parts.group(2);
    return scheme + parts.group(1) + "/" + database + parameters;
  }

  String connectorJUrl(String database) {
    return switch (kind) {
      case MYSQL -> url(database);
      case MARIADB -> "jdbc:mysql:" + parts().group(1) + "/" + database + CONNECTOR_J_PARAMETERS;
      default -> throw new UnsupportedOperationException("Connector/J cannot talk to " + kind);
    };
  }

  static final String CONNECTOR_J_PARAMETERS = "?sslMode=PREFERRED&allowPublicKeyRetrieval=true";

  /** The server's own words about its product and version. */
  String version() {
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT VERSION()")) {
      rows.next();
      return rows.getString(1);
    } catch (SQLException e) {
      throw failure("SELECT VERSION()", url, e);
    }
  }

  /** An open transaction of a forgotten connection would block DROP DATABASE for a day. */
  private void killSessions(String database) {
    String query = "SELECT id FROM information_schema.processlist WHERE db = '" + database + "'";
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement()) {
      List<Long> sessions = new ArrayList<>();
      try (ResultSet rows = statement.executeQuery(query)) {
        while (rows.next()) {
          sessions.add(rows.getLong(1));
        }
      }
      for (long session : sessions) {
        kill(statement, session);
      }
    } catch (SQLException e) {
      throw failure(query, url, e);
    }
  }

  private static void kill(Statement statement, long session) throws SQLException {
    try {
      statement.execute("KILL " + session);
    } catch (SQLException e) {
      if (e.getErrorCode() != 1094) { // it has just ended by itself
        throw e;
      }
    }
  }

  void execute(String sql) {
    executeAt(url, sql);
  }

  private void executeAt(String where, String sql) {
    try (Connection connection = connect(where);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw failure(sql, where, e);
    }
  }

  private Connection connect(String where) throws SQLException {
    return DataSources.unpooled(where, user, password).getConnection();
  }

  private Matcher parts() {
    Matcher parts = URL.matcher(url);
    if (!parts.matches()) {
      throw new IllegalStateException("Expected jdbc:…://host:port/…, got " + url);
    }
    return parts;
  }

  private IllegalStateException failure(String sql, String where, SQLException cause) {
    return new IllegalStateException(
        "%s server %s, user %s: \"%s\" failed: %s"
            .formatted(kind, where, user, sql, cause.getMessage()),
        cause);
  }
}
