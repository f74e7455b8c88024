package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.RowLocks;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.UnitOfWork;
import io.outbox.model.DueEvent;
import io.outbox.model.EventKey;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;

/** What the statements of one store share. */
final class StoreContext {

  final Product product;
  final TableName table;
  final EventColumns columns;
  final RowLocks locks;
  final StoreErrors errors;
  final WaitingMark waiting;

  StoreContext(Product product, TableName table) {
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

  /** With errors that say where the DDL for order by key is. */
  StoreContext orderedByKey() {
    return new StoreContext(product, table, StoreErrors.orderedByKey(product, table), waiting);
  }

  /** With errors that say where the DDL for the list of nodes is. */
  StoreContext listingNodes() {
    return new StoreContext(product, table, StoreErrors.members(product, table), waiting);
  }

  JdbcTemplate template(String action) {
    return errors.template(action);
  }

  /** Reads the name of a key, an id and when it is due. */
  DueEvent dueEvent(ResultSet row) throws SQLException {
    return new DueEvent(
        EventKey.named(row.getString(1)), row.getString(2), product.instant(row, 3));
  }

  /** Runs statements that belong together; {@code action} completes "could not …". */
  <T> T atomically(String action, Connection conn, UnitOfWork.Work<T> work) {
    try {
      return UnitOfWork.run(conn, product::prepareTransaction, work);
    } catch (SQLException e) {
      throw errors.describe(action, e);
    }
  }
}
