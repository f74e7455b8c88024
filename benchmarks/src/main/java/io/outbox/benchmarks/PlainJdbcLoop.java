package io.outbox.benchmarks;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * What a team would write by hand and could hardly beat: one statement claims 500 events, one
 * finishes them, each in its own transaction, on one thread.
 */
final class PlainJdbcLoop {

  private static final int BATCH = 500;

  private static final String CLAIM =
      """
      WITH next AS MATERIALIZED (
        SELECT event_id FROM outbox_event
        WHERE status IN (0, 2) AND locked_by IS NULL AND available_at <= now()
        ORDER BY available_at, seq LIMIT ? FOR UPDATE SKIP LOCKED)
      UPDATE outbox_event e SET locked_by = 'loop', locked_at = now()
      FROM next WHERE e.event_id = next.event_id
      RETURNING e.event_id, e.event_type, e.payload
      """;
  private static final String FINISH =
      """
      UPDATE outbox_event SET status = 1, done_at = now(), locked_by = NULL, locked_at = NULL
      WHERE event_id = ANY (?) AND locked_by = 'loop'
      """;

  private final DataSource dataSource;

  PlainJdbcLoop(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  /** Works until nothing is left; returns how many payload characters were seen. */
  long drain() throws SQLException {
    long seen = 0;
    try (Connection conn = dataSource.getConnection();
        PreparedStatement claim = conn.prepareStatement(CLAIM);
        PreparedStatement finish = conn.prepareStatement(FINISH)) {
      while (true) {
        List<String> ids = new ArrayList<>(BATCH);
        claim.setInt(1, BATCH);
        try (ResultSet rows = claim.executeQuery()) {
          while (rows.next()) {
            ids.add(rows.getString(1));
            seen += rows.getString(3).length();
          }
        }
        if (ids.isEmpty()) {
          return seen;
        }
        Array array = conn.createArrayOf("varchar", ids.toArray());
        finish.setArray(1, array);
        finish.executeUpdate();
        array.free();
      }
    }
  }
}
