package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;

/**
 * How a SELECT locks rows without waiting for those that others have locked. TiDB cannot skip rows;
 * there the lock waits, and nodes take turns. Other databases have no such SELECT at all: there an
 * update that changes nothing locks the rows before they are read.
 */
public final class RowLocks {

  private static final String WAITING = " FOR UPDATE";
  private final Product product;
  private volatile String clause;

  public RowLocks(Product product) {
    this.product = product;
    this.clause = product == Product.MYSQL ? null : product.lockRows();
  }

  /** The end of a SELECT. */
  public String clause(Connection conn) throws SQLException {
    String known = clause;
    if (known == null) {
      boolean tiDb = conn.getMetaData().getDatabaseProductVersion().contains("TiDB");
      known = tiDb ? WAITING : product.lockRows();
      clause = known;
    }
    return known;
  }

  /**
   * The end of a SELECT that goes along an index and locks as it goes; empty where that would wait,
   * or sort first.
   */
  public String alongIndex(Connection conn) throws SQLException {
    String known = product == Product.MYSQL ? clause(conn) : WAITING;
    return known.equals(WAITING) ? "" : known;
  }

  /**
   * Locks rows by their keys, if no SELECT can; to be called before it. One row after the other, so
   * that nodes that lock the same rows do not wait for each other in a circle.
   */
  public void lock(JdbcTemplate jdbc, Connection conn, TableName table, Collection<String> ids)
      throws SQLException {
    if (clause(conn).isEmpty()) {
      String touch = "UPDATE %s SET lease_no = lease_no WHERE event_id = ?".formatted(table);
      List<Object[]> inOrder = ids.stream().sorted().map(id -> new Object[] {id}).toList();
      if (!inOrder.isEmpty()) {
        jdbc.updateBatch(conn, touch, inOrder);
      }
    }
  }

  /**
   * Statements that lock know best by which index: in a small table MySQL would rather read every
   * row, and wait for those that others have locked.
   */
  public String forceIndex(String index) {
    return product == Product.MYSQL ? " FORCE INDEX (" + index + ")" : "";
  }

  /**
   * A statement that deletes this many rows by their keys, which are locked already. With a list of
   * keys MySQL may read the whole table, and wait for rows that others have locked; with a join it
   * does not. (An UPDATE passes over such rows, a DELETE does not.)
   */
  public String deleteByKey(TableName table, int ids) {
    return product == Product.MYSQL
        ? "DELETE e FROM (SELECT ? AS event_id%s) o STRAIGHT_JOIN %s e ON e.event_id = o.event_id"
            .formatted(" UNION ALL SELECT ?".repeat(ids - 1), table)
        : "DELETE FROM %s WHERE event_id IN %s".formatted(table, InLists.placeholders(ids));
  }
}
