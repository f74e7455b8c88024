package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.RowLocks;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.UnitOfWork;
import java.sql.Connection;
import java.sql.SQLException;

/** What the statements of one store share. */
final class StoreContext {

  final Product product;
  final TableName table;
  final EventColumns columns;
  final RowLocks locks;
  final StoreErrors errors;

  StoreContext(Product product, TableName table) {
    this(product, table, new StoreErrors(product, table));
  }

  private StoreContext(Product product, TableName table, StoreErrors errors) {
    this.product = product;
    this.table = table;
    this.columns = new EventColumns(product);
    this.locks = new RowLocks(product);
    this.errors = errors;
  }

  /** With errors that say where the DDL for order by key is. */
  StoreContext orderedByKey() {
    return new StoreContext(product, table, StoreErrors.orderedByKey(product, table));
  }

  JdbcTemplate template(String action) {
    return errors.template(action);
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
