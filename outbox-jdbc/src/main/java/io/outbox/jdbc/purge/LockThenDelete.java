package io.outbox.jdbc.purge;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.RowLocks;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.UnitOfWork;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;

/** For databases that cannot delete by a common table expression. */
final class LockThenDelete implements PurgeSql {

  private static final String ACTION = "purge events";

  /** MySQL's and MariaDB's: the isolation of a transaction cannot be changed in the middle. */
  private static final int TRANSACTION_IN_PROGRESS = 1568;

  private final Product product;
  private final StoreErrors errors;
  private final JdbcTemplate jdbc;
  private final RowLocks locks;
  private final boolean locksInOrder;
  private final String selectSql;
  private final String lockSql;
  private final TableName table;

  /**
   * Reads without a lock, then locks by key and judges again: a locking read that sorts would lock
   * all it sorts.
   */
  LockThenDelete(Product product, TableName table, String condition, String order) {
    this(product, table, condition, order, "", false);
  }

  private LockThenDelete(
      Product product,
      TableName table,
      String condition,
      String order,
      String forceIndex,
      boolean locksInOrder) {
    this.product = product;
    this.errors = new StoreErrors(product, table);
    this.jdbc = errors.template(ACTION);
    this.locks = new RowLocks(product);
    this.locksInOrder = locksInOrder;
    this.selectSql =
        "SELECT event_id FROM %s%s WHERE %s ORDER BY %s LIMIT ?"
            .formatted(table, forceIndex, condition, order);
    this.lockSql =
        "SELECT event_id FROM %s%s WHERE %s AND event_id IN "
            .formatted(table, locks.forceIndex("PRIMARY"), condition);
    this.table = table;
  }

  /** MySQL reads in the order of an index without sorting, and locks no more than it returns. */
  static LockThenDelete finishedByIndex(TableName table) {
    return new LockThenDelete(
        Product.MYSQL,
        table,
        "status IN (1, 3) AND finished_at < ?",
        "status, finished_at",
        new RowLocks(Product.MYSQL).forceIndex(table.derived("finished")),
        true);
  }

  @Override
  public int purge(Connection conn, Instant before, int limit) {
    try {
      if (!conn.getAutoCommit()) {
        prepareUnlessBegun(conn);
      }
      return UnitOfWork.run(
          conn, product::prepareTransaction, c -> deleteAll(c, lock(c, before, limit)));
    } catch (SQLException e) {
      throw errors.describe(ACTION, e);
    }
  }

  /** A connection that comes with auto-commit off may be in a transaction already, or not. */
  private void prepareUnlessBegun(Connection conn) throws SQLException {
    try {
      product.prepareTransaction(conn);
    } catch (SQLException e) {
      if (e.getErrorCode() != TRANSACTION_IN_PROGRESS) {
        throw e;
      }
    }
  }

  private List<String> lock(Connection conn, Instant before, int limit) throws SQLException {
    Object time = product.parameter(before);
    String lock = locks.clause(conn);
    List<String> ids =
        jdbc.query(
            conn,
            locksInOrder ? selectSql + lock : selectSql,
            row -> row.getString(1),
            time,
            limit);
    return locksInOrder ? ids : lockByKey(conn, time, ids, lock);
  }

  private List<String> lockByKey(Connection conn, Object time, List<String> ids, String lock) {
    return InLists.query(
        jdbc, conn, lockSql, ids.stream().sorted().toList(), lock, row -> row.getString(1), time);
  }

  private int deleteAll(Connection conn, List<String> ids) {
    return InLists.delete(jdbc, conn, locks, table, ids.stream().sorted().toList());
  }
}
