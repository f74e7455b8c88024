package io.outbox.jdbc.purge;

import io.outbox.jdbc.internal.finished.OldRows;
import java.sql.Connection;
import java.time.Instant;

/** For databases that cannot delete by a common table expression. */
final class LockThenDelete implements PurgeSql {

  /** Completes "could not …". */
  static final String ACTION = "purge events";

  private final OldRows rows;

  LockThenDelete(OldRows rows) {
    this.rows = rows;
  }

  @Override
  public int purge(Connection conn, Instant before, int limit) {
    return rows.inTransaction(conn, c -> rows.delete(c, rows.lock(c, before, limit)));
  }
}
