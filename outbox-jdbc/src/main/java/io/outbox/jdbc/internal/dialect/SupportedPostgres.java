package io.outbox.jdbc.internal.dialect;

import io.outbox.jdbc.OutboxStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Databases that PostgreSQL's driver calls PostgreSQL, but that lack what the outbox needs of it,
 * are refused by name, not found out by a failing claim.
 */
public final class SupportedPostgres {

  private static final int OLDEST = 14;
  private static final Pattern VERSION = Pattern.compile("PostgreSQL (\\d+)");

  private SupportedPostgres() {}

  /**
   * Asks the database what it is.
   *
   * @throws OutboxStoreException if it is too old, or only looks like PostgreSQL
   */
  public static void require(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement();
        ResultSet row = statement.executeQuery("SELECT version()")) {
      String version = row.next() ? String.valueOf(row.getString(1)) : "";
      if (version.contains("CockroachDB")) {
        throw lookalike("CockroachDB");
      } else if (version.contains("-YB-") || version.contains("YugabyteDB")) {
        throw lookalike("YugabyteDB");
      }
      Matcher number = VERSION.matcher(version);
      if (number.find() && Integer.parseInt(number.group(1)) < OLDEST) {
        throw new OutboxStoreException(
            "%s is not supported: its end of life is over. Upgrade to PostgreSQL %s or later."
                .formatted(number.group(), OLDEST));
      }
    }
  }

  private static OutboxStoreException lookalike(String name) {
    return new OutboxStoreException(
        name
            + " is not supported: it speaks PostgreSQL's protocol, but claims find rows by their"
            + " place (ctid), which it does not have. Use PostgreSQL, MySQL, MariaDB or H2.");
  }
}
