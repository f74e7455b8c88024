package io.outbox.jdbc.archive;

import io.outbox.jdbc.internal.finished.OldRow;
import java.sql.Connection;
import java.util.List;

/** Where a purge takes events to before it deletes them. */
interface ArchiveTarget {

  /**
   * Keeps these events, whose rows are locked, have different ids and are sorted by seq. When it
   * returns, they are kept for good, or for as long as the connection's transaction is: its caller
   * may delete the rows.
   */
  void keep(Connection conn, List<OldRow> rows);
}
