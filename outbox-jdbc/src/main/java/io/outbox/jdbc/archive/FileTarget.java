package io.outbox.jdbc.archive;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.finished.OldRow;
import io.outbox.jdbc.internal.finished.RowKeys;
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

  private final StoreContext context;
  private final PartWriter parts;
  private final JdbcTemplate jdbc;
  private final String readSql;

  FileTarget(StoreContext context, PartWriter parts) {
    this.context = context;
    this.parts = parts;
    this.jdbc = context.template("archive events");
    this.readSql = "SELECT %s FROM %s WHERE ".formatted(ArchivedColumns.ALL, context.byKey());
  }

  @Override
  public void keep(Connection conn, List<OldRow> rows) {
    Instant now = Clock.systemUTC().instant();
    try (PartWriter.Batch batch = parts.begin(now)) {
      int written = 0;
      for (RowKeys keys : RowKeys.of(rows, ROWS)) {
        for (OutboxEvent event : read(conn, keys)) {
          batch.write(EventLine.write(event, now));
          written++;
        }
      }
      if (written != rows.size()) {
        throw new OutboxStoreException(
            "only %s of %s events of table %s could be read, so none is deleted"
                .formatted(written, rows.size(), context.table));
      }
      batch.finish();
    } catch (IOException e) {
      throw new OutboxStoreException(
          "could not archive events of table %s in %s, so none is deleted: %s"
              .formatted(context.table, parts.directory(), e),
          e);
    }
  }

  private List<OutboxEvent> read(Connection conn, RowKeys keys) {
    return jdbc.query(
        conn,
        readSql + keys.condition() + " ORDER BY seq",
        row -> ArchivedColumns.read(context.product, row),
        keys.params());
  }
}
