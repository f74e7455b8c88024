package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How a SELECT locks rows without waiting for those that others have locked. Old servers and TiDB
 * cannot skip rows; there the lock waits, and nodes take turns.
 */
public final class RowLocks {

  private static final String SKIPPING = " FOR UPDATE SKIP LOCKED";
  private static final String WAITING = " FOR UPDATE";
  private static final Pattern MARIADB_VERSION = Pattern.compile("(\\d+)\\.(\\d+)[.\\d]*-MariaDB");

  private final Product product;
  private volatile String clause;

  public RowLocks(Product product) {
    this.product = product;
    this.clause = product == Product.MYSQL ? null : SKIPPING;
  }

  /** The end of a SELECT. */
  public String clause(Connection conn) throws SQLException {
    String known = clause;
    if (known == null) {
      known = canSkip(conn.getMetaData()) ? SKIPPING : WAITING;
      clause = known;
    }
    return known;
  }

  /**
   * Statements that lock know best by which index: in a small table MySQL would rather read every
   * row, and wait for those that others have locked.
   */
  public String forceIndex(String index) {
    return product == Product.MYSQL ? " FORCE INDEX (" + index + ")" : "";
  }

  /**
   * A statement that deletes this many rows by their keys, which are locked already; a DELETE
   * cannot be told which index to use, but a join can.
   */
  public String deleteByKey(TableName table, int ids) {
    return product == Product.MYSQL
        ? "DELETE e FROM (SELECT ? AS event_id%s) o STRAIGHT_JOIN %s e ON e.event_id = o.event_id"
            .formatted(" UNION ALL SELECT ?".repeat(ids - 1), table)
        : "DELETE FROM %s WHERE event_id IN %s".formatted(table, InLists.placeholders(ids));
  }

  /** MySQL Connector/J calls a MariaDB server MySQL; its version tells the truth. */
  static boolean canSkip(DatabaseMetaData database) throws SQLException {
    String version = database.getDatabaseProductVersion();
    if (version.contains("TiDB")) {
      return false;
    }
    Matcher mariaDb = MARIADB_VERSION.matcher(version);
    if (mariaDb.find()) {
      int major = Integer.parseInt(mariaDb.group(1));
      return major > 10 || (major == 10 && Integer.parseInt(mariaDb.group(2)) >= 6);
    }
    return database.getDatabaseMajorVersion() >= 8;
  }
}
