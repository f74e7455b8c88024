package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;
import java.sql.Connection;
import java.time.Instant;

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
        : new LockThenDelete(OldRows.finished(product, table, LockThenDelete.ACTION));
  }

  /** The rows created before an instant, whatever their status. */
  static PurgeSql aged(Product product, TableName table) {
    return product == Product.POSTGRESQL
        ? new OneStatement(table, "created_at < ?", "created_at")
        : new LockThenDelete(OldRows.aged(product, table, LockThenDelete.ACTION));
  }
}
