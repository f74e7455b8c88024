package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.finished.OldRows;
import io.outbox.spi.EventPurger;
import java.sql.Connection;
import java.time.Instant;

/**
 * Deletes old events of one table; the subclasses say which events and on which database.
 * Thread-safe. Several nodes may purge at once: each skips rows that others are deleting. Throws
 * {@link io.outbox.jdbc.OutboxStoreException}.
 */
public abstract class AbstractJdbcEventPurger implements EventPurger {

  /** The table used when none is named. */
  public static final String DEFAULT_TABLE = TableName.DEFAULT;

  private final OldRows rows;

  AbstractJdbcEventPurger(OldRows rows) {
    this.rows = rows;
  }

  @Override
  public int purge(Connection conn, Instant before, int limit) {
    return rows.purge(conn, before, limit);
  }
}
