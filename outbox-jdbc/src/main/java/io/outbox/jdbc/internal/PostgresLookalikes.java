package io.outbox.jdbc.internal;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Databases that PostgreSQL's driver calls PostgreSQL, but that lack what the outbox needs of it:
 * they are refused by name, not found out by a failing claim.
 */
public final class PostgresLookalikes {

  private PostgresLookalikes() {}

  /**
   * Asks the database what it is.
   *
   * @throws OutboxStoreException if it only looks like PostgreSQL
   */
  public static void refuse(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery("SELECT version()")) {
      Optional<String> name = row.next() ? nameOf(row.getString(1)) : Optional.empty();
      if (name.isPresent()) {
        throw new OutboxStoreException(
            name.get()
                + " is not supported: it speaks PostgreSQL's protocol, but claims find rows by their"
                + " place (ctid), which it does not have. Use PostgreSQL, MySQL, MariaDB or H2.");
      }
    }
  }

  /** The name of the lookalike that says this of itself; empty for PostgreSQL. */
  static Optional<String> nameOf(String version) {
    if (version == null) {
      return Optional.empty();
    } else if (version.contains("CockroachDB")) {
      return Optional.of("CockroachDB");
    } else if (version.contains("-YB-") || version.contains("YugabyteDB")) {
      return Optional.of("YugabyteDB");
    }
    return Optional.empty();
  }
}
