package io.outbox.jdbc.archive;

import java.sql.Connection;
import java.util.List;

/** Where a purge takes events to before it deletes them. */
interface ArchiveTarget {

  /**
   * Keeps these events, whose rows are locked. When it returns, they are kept for good, or for as
   * long as the connection's transaction is: its caller may delete the rows.
   */
  void keep(Connection conn, List<String> ids);
}
