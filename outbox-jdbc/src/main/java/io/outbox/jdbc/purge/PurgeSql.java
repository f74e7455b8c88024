package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
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
    return switch (product) {
      case POSTGRESQL ->
          new OneStatement(
              table,
              "status IN (1, 3) AND coalesce(done_at, created_at) < ?",
              "coalesce(done_at, created_at)");
      case MYSQL -> LockThenDelete.finishedByIndex(table);
      case H2 ->
          new LockThenDelete(
              product, table, "status IN (1, 3) AND finished_at < ?", "status, finished_at");
    };
  }

  /** The rows created before an instant, whatever their status. */
  static PurgeSql aged(Product product, TableName table) {
    return product == Product.POSTGRESQL
        ? new OneStatement(table, "created_at < ?", "created_at")
        : new LockThenDelete(product, table, "created_at < ?", "created_at");
  }
}
