package io.outbox.jdbc.internal.count;

import io.outbox.spi.Backlog;
import java.sql.Connection;

/** Counts what is in the table, but no further than a cap. */
public interface Backlogs {

  Backlog count(Connection conn, int cap);
}
