package io.outbox.jdbc.internal;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;

/** What the statements of one store share. */
public final class StoreContext {

  public final Product product;
  public final TableName table;
  public final EventColumns columns;
  public final RowLocks locks;
  public final StoreErrors errors;
  public final WaitingMark waiting;

  public StoreContext(Product product, TableName table) {
    this(product, table, new StoreErrors(product, table), null);
  }

  private StoreContext(Product product, TableName table, StoreErrors errors, WaitingMark waiting) {
    this.product = product;
    this.table = table;
    this.columns = new EventColumns(product);
    this.locks = new RowLocks(product);
    this.errors = errors;
    this.waiting = waiting == null ? new WaitingMark(this) : waiting;
  }

  /** With errors that say where the DDL of an addition is. */
  public StoreContext with(Addition addition) {
    return new StoreContext(product, table, new StoreErrors(product, table, addition), waiting);
  }

  /** The table, read along one of its indexes where that must be said. */
  public String along(String index) {
    return table + locks.forceIndex(table.derived(index));
  }

  /** The table, read by its primary key where that must be said. */
  public String byKey() {
    return table + locks.forceIndex("PRIMARY");
  }

  public JdbcTemplate template(String action) {
    return errors.template(action);
  }

  /** What to bind for an instant; null for null. */
  public Object time(Instant instant) {
    return product.parameter(instant);
  }

  public Instant instant(ResultSet row, int column) throws SQLException {
    return product.instant(row, column);
  }

  /** The database's time. */
  public Instant now(Connection conn) {
    return template("ask for the time")
        .query(conn, product.currentTimeSql(), row -> instant(row, 1))
        .get(0);
  }

  /** Runs statements that belong together; {@code action} completes "could not …". */
  public <T> T atomically(String action, Connection conn, UnitOfWork.Work<T> work) {
    try {
      return UnitOfWork.run(conn, product::prepareTransaction, work);
    } catch (SQLException e) {
      throw errors.describe(action, e);
    }
  }
}
