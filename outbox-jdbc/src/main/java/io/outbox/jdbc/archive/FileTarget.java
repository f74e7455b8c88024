package io.outbox.jdbc.archive;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.RowLocks;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.OutboxEvent;
import java.io.IOException;
import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;
import java.util.List;

/** Files in a directory: they are on the disk before an event is deleted. */
final class FileTarget implements ArchiveTarget {

  /** Payloads may be large, and memory is not to be the bound of a batch. */
  private static final int ROWS = 32;

  private final Product product;
  private final TableName table;
  private final PartWriter parts;
  private final JdbcTemplate jdbc;
  private final String readSql;

  FileTarget(Product product, TableName table, PartWriter parts) {
    this.product = product;
    this.table = table;
    this.parts = parts;
    this.jdbc = new StoreErrors(product, table).template("archive events");
    this.readSql =
        "SELECT %s FROM %s%s WHERE event_id IN "
            .formatted(ArchivedColumns.ALL, table, new RowLocks(product).forceIndex("PRIMARY"));
  }

  @Override
  public void keep(Connection conn, List<String> ids) {
    Instant now = Clock.systemUTC().instant();
    try (PartWriter.Batch batch = parts.begin(now)) {
      int written = 0;
      for (int from = 0; from < ids.size(); from += ROWS) {
        for (OutboxEvent event : read(conn, ids.subList(from, Math.min(ids.size(), from + ROWS)))) {
          batch.write(EventLine.write(event, now));
          written++;
        }
      }
      if (written != ids.size()) {
        throw new OutboxStoreException(
            "only %d of %d events of table %s could be read, so none is deleted"
                .formatted(written, ids.size(), table));
      }
      batch.finish();
    } catch (IOException e) {
      throw new OutboxStoreException(
          "could not archive events of table %s in %s, so none is deleted: %s"
              .formatted(table, parts.directory(), e),
          e);
    }
  }

  private List<OutboxEvent> read(Connection conn, List<String> ids) {
    return InLists.query(
        jdbc,
        conn,
        readSql,
        ids,
        " ORDER BY created_at, event_id",
        row -> ArchivedColumns.read(product, row));
  }
}
