package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.internal.PartitionedBySeq;
import io.outbox.jdbc.internal.PostgresArrays;
import io.outbox.jdbc.internal.PostgresAttempt;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventRef;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * Finishes many events of one lease with a single pass through their rows: nearly always, all of
 * them are as expected, and nobody has locked one. If not, nothing is changed, and a statement that
 * looks at each has to do it.
 */
final class PostgresBulkWrites {

  /**
   * The same for all, so that the planner leaves out what does not matter. That the owner is not
   * compared as it is keeps it from the index of leased events: it would read them all.
   */
  private static final String OPEN =
      " WHERE e.event_id = ANY (?::text[]) AND e.status IN (0, 2)"
          + " AND (?::bigint = -1 OR e.lease_no = ?)"
          + " AND (?::text IS NULL OR coalesce(e.locked_by, '') = ?)";

  private final PostgresAttempt attempt;
  private final PartitionedBySeq partitioned;
  private final String doneSql;
  private final String deleteSql;

  PostgresBulkWrites(StoreContext context, PartitionedBySeq partitioned) {
    TableName table = context.table;
    this.attempt = new PostgresAttempt(context.template("write outcomes"), "10ms");
    this.partitioned = partitioned;
    this.doneSql = "UPDATE " + table + " e SET " + PostgresLeaseSql.SET_DONE + OPEN;
    this.deleteSql = "DELETE FROM " + table + " e" + OPEN;
  }

  /** {@code at} are the parameters; true if all were written, else none. */
  boolean done(Connection conn, List<EventRef> refs, List<Object> at) throws SQLException {
    return areAlike(conn, refs) && write(conn, doneSql, refs, at);
  }

  /** True if all were deleted, else none. */
  boolean delete(Connection conn, List<EventRef> refs) throws SQLException {
    return areAlike(conn, refs) && write(conn, deleteSql, refs, List.of());
  }

  /** In partitions it would look for each into all of them. */
  private boolean areAlike(Connection conn, List<EventRef> refs) throws SQLException {
    if (refs.size() <= PostgresPlans.FEW || conn.getAutoCommit() || partitioned.is(conn)) {
      return false;
    }
    EventRef first = refs.get(0);
    return refs.stream()
        .allMatch(
            ref ->
                ref.leaseNumber() == first.leaseNumber()
                    && Objects.equals(ref.owner(), first.owner()));
  }

  private boolean write(Connection conn, String sql, List<EventRef> refs, Collection<Object> params)
      throws SQLException {
    return attempt.run(conn, () -> isWritten(conn, sql, refs, params));
  }

  private static boolean isWritten(
      Connection conn, String sql, List<EventRef> refs, Collection<Object> params)
      throws SQLException {
    EventRef lease = refs.get(0);
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      int n = 0;
      for (Object param : params) {
        statement.setObject(++n, param);
      }
      statement.setArray(++n, PostgresArrays.texts(conn, refs, EventRef::eventId));
      statement.setLong(++n, lease.leaseNumber());
      statement.setLong(++n, lease.leaseNumber());
      statement.setString(++n, lease.owner());
      statement.setString(++n, lease.owner());
      return statement.executeUpdate() == refs.size();
    }
  }
}
