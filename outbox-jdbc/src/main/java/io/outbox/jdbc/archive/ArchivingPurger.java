package io.outbox.jdbc.archive;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRow;
import io.outbox.jdbc.internal.finished.OldRows;
import io.outbox.spi.EventPurger;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

/**
 * Moves DONE and DEAD events that ended long ago to an archive, on H2, PostgreSQL, MySQL, MariaDB
 * and TiDB. {@link EventArchive} finds and replays them there. Thread-safe. Several nodes may
 * archive at once: each skips rows that others are moving. Throws {@link OutboxStoreException}; an
 * event that cannot be archived stays in the outbox table.
 */
public final class ArchivingPurger implements EventPurger {

  private static final String ACTION = "archive events";

  private final TableName table;
  private final Function<StoreContext, ArchiveTarget> target;
  private volatile Move move; // null: not known yet which database it is

  private ArchivingPurger(String tableName, Function<StoreContext, ArchiveTarget> target) {
    this.table = TableName.of(tableName);
    this.target = target;
  }

  /** Where events of a table are found, and where they go. */
  private record Move(OldRows rows, ArchiveTarget target) {

    int perform(Connection conn, Instant before, int limit) {
      return rows.inTransaction(
          conn,
          c -> {
            List<OldRow> old = rows.lock(c, before, limit);
            if (old.isEmpty()) {
              return 0;
            }
            target.keep(c, OldRow.latest(old));
            return rows.delete(c, old);
          });
    }
  }

  /**
   * Moves events to the table beside the outbox table that {@link
   * io.outbox.jdbc.OutboxSchema#createArchive} creates. An event is inserted there by the
   * transaction that deletes it, so it is always in exactly one of the two tables. If an event was
   * replayed and has finished again, its row replaces the earlier row.
   *
   * @param tableName the outbox table
   * @throws IllegalArgumentException if the name is not valid
   */
  public static ArchivingPurger toTable(String tableName) {
    return new ArchivingPurger(tableName, TableTarget::new);
  }

  /**
   * Moves events to compressed files, in parts of at most about 64 MB; see the other form.
   *
   * @param tableName the outbox table
   * @throws IllegalArgumentException if the name is not valid
   */
  public static ArchivingPurger toFiles(String tableName, Path directory) {
    return toFiles(tableName, directory, PartWriter.MAX_BYTES);
  }

  /**
   * Moves events to files of JSON Lines, compressed by gzip, one line for each event. A batch of
   * the purge writes one file, or several if it is large. A file is complete and on the disk before
   * its events are deleted; if the process or the database fails in between, the same events are
   * written again later. Lines with the same {@code event_id} and {@code lease_no} are the same
   * event.
   *
   * @param tableName the outbox table
   * @param directory is created if it is missing; gets one directory per day
   * @param maxPartBytes a file that has this size is ended, and another one is begun
   * @throws IllegalArgumentException if the name is not valid, or the size below 1,024
   */
  public static ArchivingPurger toFiles(String tableName, Path directory, long maxPartBytes) {
    Objects.requireNonNull(directory, "directory");
    if (maxPartBytes < 1024) {
      throw new IllegalArgumentException("maxPartBytes must be at least 1024: " + maxPartBytes);
    }
    return new ArchivingPurger(
        tableName,
        context -> new FileTarget(context, new PartWriter(directory, context.table, maxPartBytes)));
  }

  @Override
  public int purge(Connection conn, Instant before, int limit) {
    if (limit < 1) {
      throw new IllegalArgumentException("limit must be at least 1: " + limit);
    }
    return move(conn).perform(conn, before, limit);
  }

  private Move move(Connection conn) {
    Move known = move;
    if (known == null) {
      StoreContext context = context(conn);
      known = new Move(OldRows.finished(context.product, table, ACTION), target.apply(context));
      move = known;
    }
    return known;
  }

  private StoreContext context(Connection conn) {
    try {
      return EventArchive.context(conn, table);
    } catch (SQLException e) {
      throw new OutboxStoreException(
          "could not find out which database table " + table + " is in: " + e.getMessage(), e);
    }
  }
}
