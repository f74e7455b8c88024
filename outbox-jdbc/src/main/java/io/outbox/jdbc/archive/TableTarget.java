package io.outbox.jdbc.archive;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRow;
import io.outbox.jdbc.internal.finished.RowKeys;
import java.sql.Connection;
import java.util.List;

/** A table beside the outbox table; the transaction that deletes an event inserts it there. */
final class TableTarget implements ArchiveTarget {

  private final StoreContext context;
  private final TableName archive;
  private final JdbcTemplate jdbc;
  private final String copySql;

  TableTarget(StoreContext context) {
    this.context = context;
    this.archive = context.table.sibling("archive");
    this.jdbc = context.with(Addition.ARCHIVE).template("archive events");
    this.copySql =
        "INSERT INTO %1$s (%2$s, archived_at) SELECT %2$s, %3$s FROM %4$s WHERE "
            .formatted(
                archive, ArchivedColumns.ALL, context.product.currentTime(), context.byKey());
  }

  @Override
  public void keep(Connection conn, List<OldRow> rows) {
    // The row of an earlier life, for an event that was replayed.
    List<String> ids = rows.stream().map(OldRow::eventId).sorted().toList();
    InLists.delete(jdbc, conn, context.locks, archive, ids);
    int copied = 0;
    for (RowKeys keys : RowKeys.of(rows, InLists.MAX)) {
      copied += jdbc.update(conn, copySql + keys.condition(), keys.params());
    }
    if (copied != rows.size()) {
      throw new OutboxStoreException(
          "only %s of %s events of table %s could be copied to %s, so none is deleted"
              .formatted(copied, rows.size(), context.table, archive));
    }
  }
}
