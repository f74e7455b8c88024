package io.outbox.jdbc.archive;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.RowLocks;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.List;

/** A table beside the outbox table; the transaction that deletes an event inserts it there. */
final class TableTarget implements ArchiveTarget {

  private final TableName table;
  private final TableName archive;
  private final JdbcTemplate jdbc;
  private final RowLocks locks;
  private final String copySql;

  TableTarget(Product product, TableName table) {
    this.table = table;
    this.archive = table.sibling("archive");
    this.jdbc = new StoreErrors(product, table, Addition.ARCHIVE).template("archive events");
    this.locks = new RowLocks(product);
    this.copySql =
        "INSERT INTO %s (%s, archived_at) SELECT %s, %s FROM %s%s WHERE event_id IN "
            .formatted(
                archive,
                ArchivedColumns.ALL,
                ArchivedColumns.ALL,
                product.currentTime(),
                table,
                locks.forceIndex("PRIMARY"));
  }

  @Override
  public void keep(Connection conn, List<String> ids) {
    // The row of an earlier life, for an event that was replayed.
    InLists.delete(jdbc, conn, locks, archive, ids);
    int copied = InLists.update(jdbc, conn, copySql, List.of(), ids);
    if (copied != ids.size()) {
      throw new OutboxStoreException(
          "only %d of %d events of table %s could be copied to %s, so none is deleted"
              .formatted(copied, ids.size(), table, archive));
    }
  }
}
