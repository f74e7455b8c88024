package io.outbox.jdbc.internal.finished;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.RowLocks;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.UnitOfWork;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/**
 * Rows that are old enough to leave a table: locks them, passing over those that others have
 * locked, and deletes them. A row that changed since it was found, by a replay for one, is judged
 * again when it is locked.
 */
public final class OldRows {

  /** The action of a purge; completes "could not …". */
  public static final String PURGE = "purge events";

  /** MySQL's and MariaDB's: the isolation of a transaction cannot be changed in the middle. */
  private static final int TRANSACTION_IN_PROGRESS = 1568;

  private final StoreContext context;
  private final String action;
  private final JdbcTemplate jdbc;
  private final boolean locksInOrder;
  private final String selectSql;
  private final String lockSql;
  private final String purgeSql; // null if the database cannot do it with one statement

  /**
   * @param rows which ones, and how they are found
   * @param action completes "could not …"
   */
  private OldRows(Product product, TableName table, Rows rows, String action) {
    this.context = new StoreContext(product, table);
    this.action = action;
    this.jdbc = context.template(action);
    this.locksInOrder = rows.locksInOrder();
    this.selectSql =
        "SELECT event_id, seq, lease_no FROM %s%s WHERE %s ORDER BY %s%s"
            .formatted(table, rows.forceIndex(), rows.condition(), rows.order(), product.limit());
    this.lockSql =
        "SELECT event_id, seq, lease_no FROM %s WHERE %s AND event_id IN "
            .formatted(context.byKey(), rows.condition());
    this.purgeSql = product == Product.POSTGRESQL ? purgeSql(table, rows) : null;
  }

  /**
   * The rows are locked, yet judged once more as they are deleted, in words that no index serves:
   * the planner is to find them by their keys.
   */
  private static String purgeSql(TableName table, Rows rows) {
    return """
    WITH doomed AS MATERIALIZED (
      SELECT event_id FROM %1$s WHERE %2$s
      ORDER BY %3$s LIMIT ? FOR UPDATE SKIP LOCKED)
    DELETE FROM %1$s
    WHERE event_id IN (SELECT event_id FROM doomed) AND (%2$s) IS TRUE
    """
        .formatted(table, rows.condition(), rows.order());
  }

  /**
   * Which rows.
   *
   * @param locksInOrder whether a locking read in this order locks no more than it returns; if not,
   *     it reads without a lock, then locks by key and judges again
   */
  private record Rows(String condition, String order, String forceIndex, boolean locksInOrder) {}

  /** Those that an index lists as finished before an instant. */
  public static OldRows finished(Product product, TableName table, String action) {
    String finishedAt = "coalesce(done_at, created_at)";
    Rows rows =
        switch (product.family()) {
          case POSTGRESQL ->
              new Rows("status IN (1, 3) AND " + finishedAt + " < ?", finishedAt, "", true);
          // MySQL reads in the order of an index without sorting.
          case MYSQL -> byStatus(new RowLocks(product).forceIndex(table.derived("finished")), true);
          // A locking read that sorts would lock all it sorts.
          case H2, OTHER -> byStatus("", false);
        };
    return new OldRows(product, table, rows, action);
  }

  private static Rows byStatus(String forceIndex, boolean locksInOrder) {
    return new Rows(
        "status IN (1, 3) AND finished_at < ?", "status, finished_at", forceIndex, locksInOrder);
  }

  /** Those created before an instant, whatever their status. */
  public static OldRows aged(Product product, TableName table) {
    return new OldRows(product, table, new Rows("created_at < ?", "created_at", "", false), PURGE);
  }

  /** Deletes at most {@code limit} rows; returns how many. */
  public int purge(Connection conn, Instant before, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    if (purgeSql == null) {
      return inTransaction(conn, c -> delete(c, lock(c, before, limit)));
    }
    Object time = context.time(before);
    return jdbc.update(conn, purgeSql, time, limit, time);
  }

  /** Runs {@code work} in the connection's transaction, or in a new one. */
  public <T> T inTransaction(Connection conn, UnitOfWork.Work<T> work) {
    try {
      if (!conn.getAutoCommit()) {
        prepareUnlessBegun(conn);
      }
    } catch (SQLException e) {
      throw context.errors.describe(action, e);
    }
    return context.atomically(action, conn, work);
  }

  /** A connection that comes with auto-commit off may be in a transaction already, or not. */
  private void prepareUnlessBegun(Connection conn) throws SQLException {
    try {
      context.product.prepareTransaction(conn);
    } catch (SQLException e) {
      if (e.getErrorCode() != TRANSACTION_IN_PROGRESS) {
        throw e;
      }
    }
  }

  /** At most {@code limit} rows, sorted by id, which are locked from now on. */
  public List<OldRow> lock(Connection conn, Instant before, int limit) throws SQLException {
    Object time = context.time(before);
    String lock = context.locks.clause(conn);
    String sql = locksInOrder ? selectSql + lock : selectSql;
    List<OldRow> found = sorted(jdbc.query(conn, sql, OldRows::row, time, limit));
    if (locksInOrder) {
      return found;
    }
    List<String> ids = found.stream().map(OldRow::eventId).toList();
    context.locks.lock(jdbc, conn, context.table, ids);
    return sorted(InLists.query(jdbc, conn, lockSql, ids, lock, OldRows::row, time));
  }

  private static OldRow row(ResultSet row) throws SQLException {
    return new OldRow(row.getString(1), row.getLong(2), row.getLong(3));
  }

  private static List<OldRow> sorted(List<OldRow> rows) {
    return rows.stream().sorted(OldRow.BY_ID).toList();
  }

  /** Deletes rows that are locked; returns how many. */
  public int delete(Connection conn, List<OldRow> rows) {
    if (context.product != Product.POSTGRESQL) {
      List<String> ids = rows.stream().map(OldRow::eventId).toList();
      return InLists.delete(jdbc, conn, context.locks, context.table, ids);
    }
    // In partitions a pending row may have the same id.
    int deleted = 0;
    for (RowKeys keys : RowKeys.of(rows, InLists.MAX)) {
      String sql = "DELETE FROM " + context.table + " WHERE " + keys.condition();
      deleted += jdbc.update(conn, sql, keys.params());
    }
    return deleted;
  }
}
