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

/**
 * Locks the rows to delete, passing over those that others have locked, and deletes them. A row
 * that changed since it was found, by a replay for one, is judged again when it is locked.
 */
interface PurgeSql {

  int purge(Connection conn, Instant before, int limit);

  /** The rows that an index lists as finished before an instant. */
  static PurgeSql finished(Product product, TableName table) {
    return product == Product.POSTGRESQL
        ? new OneStatement(
            table,
            "status IN (1, 3) AND coalesce(done_at, created_at) < ?",
            "coalesce(done_at, created_at)")
        : new LockThenDelete(
            product,
            table,
            new RowLocks(product).forceIndex(table.derived("finished")),
            "status IN (1, 3) AND finished_at < ?",
            "status, finished_at");
  }

  /** The rows created before an instant, whatever their status. */
  static PurgeSql aged(Product product, TableName table) {
    return product == Product.POSTGRESQL
        ? new OneStatement(table, "created_at < ?", "created_at")
        : new LockThenDelete(product, table, "", "created_at < ?", "created_at");
  }

  /**
   * For PostgreSQL. The rows are locked, yet judged once more as they are deleted, in words that no
   * index serves: the planner is to find them by their keys.
   */
  final class OneStatement implements PurgeSql {
    private final JdbcTemplate jdbc;
    private final String sql;

    OneStatement(TableName table, String condition, String order) {
      this.jdbc = new StoreErrors(Product.POSTGRESQL, table).template("purge events");
      this.sql =
          """
          WITH doomed AS MATERIALIZED (
            SELECT event_id FROM %1$s WHERE %2$s
            ORDER BY %3$s LIMIT ? FOR UPDATE SKIP LOCKED)
          DELETE FROM %1$s WHERE event_id IN (SELECT event_id FROM doomed) AND (%2$s) IS TRUE
          """
              .formatted(table, condition, order);
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
      Object time = Product.POSTGRESQL.parameter(before);
      return jdbc.update(conn, sql, time, limit, time);
    }
  }

  /** For databases that cannot delete by a common table expression. */
  final class LockThenDelete implements PurgeSql {
    private final Product product;
    private final StoreErrors errors;
    private final JdbcTemplate jdbc;
    private final RowLocks locks;
    private final String selectSql;
    private final String deleteSql;

    LockThenDelete(
        Product product, TableName table, String forceIndex, String condition, String order) {
      this.product = product;
      this.errors = new StoreErrors(product, table);
      this.jdbc = errors.template("purge events");
      this.locks = new RowLocks(product);
      this.selectSql =
          "SELECT event_id FROM %s%s WHERE %s ORDER BY %s LIMIT ?"
              .formatted(table, forceIndex, condition, order);
      this.deleteSql = "DELETE FROM " + table + " WHERE event_id IN ";
    }

    @Override
    public int purge(Connection conn, Instant before, int limit) {
      try {
        return UnitOfWork.run(
            conn, product::prepareTransaction, c -> deleteAll(c, lock(c, before, limit)));
      } catch (SQLException e) {
        throw errors.describe("purge events", e);
      }
    }

    private List<String> lock(Connection conn, Instant before, int limit) throws SQLException {
      return jdbc.query(
          conn,
          selectSql + locks.clause(conn),
          row -> row.getString(1),
          product.parameter(before),
          limit);
    }

    private int deleteAll(Connection conn, List<String> ids) {
      int deleted = 0;
      for (List<String> chunk : InLists.chunks(ids.stream().sorted().toList())) {
        List<String> padded = InLists.padded(chunk);
        deleted +=
            jdbc.update(conn, deleteSql + InLists.placeholders(padded.size()), padded.toArray());
      }
      return deleted;
    }
  }
}
