package io.outbox.jdbc.store;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.model.EventRef;
import io.outbox.model.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** One statement locks, changes and says what it changed, for any number of events. */
final class PostgresLeaseWrites implements LeaseWrites {

  /** Of {@code w}, the wanted, and {@code e}, the event; -1 is {@link EventRef#ANY_LEASE}. */
  private static final String OPEN =
      "e.status IN (0, 2) AND (w.lease_no = -1 OR e.lease_no = w.lease_no)"
          + " AND (w.owner IS NULL OR e.locked_by = w.owner)";

  /** Whether a pending event is as an outcome left it; see {@link RowState#isResultOf}. */
  private static final String THERE =
      "e.status = w.status AND e.attempts = w.attempts AND e.available_at = w.at"
          + " AND e.locked_by IS NULL";

  /** The rows that some references are open to. */
  private static final String LOCKED_BY_REF =
      """
      WITH locked AS MATERIALIZED (
        SELECT w.* FROM unnest(?::text[], ?::bigint[], ?::text[]) AS w(event_id, lease_no, owner)
        JOIN %1$s e ON e.event_id = w.event_id
        WHERE %2$s
        ORDER BY e.event_id FOR UPDATE OF e SKIP LOCKED)
      """;

  private final StoreContext context;
  private final JdbcTemplate outcomeTemplate;
  private final JdbcTemplate leaseTemplate;
  private final String writeSql;
  private final String deleteSql;
  private final Map<Change, String> changeSql = new EnumMap<>(Change.class);
  private final String readSql;

  PostgresLeaseWrites(StoreContext context) {
    this.context = context;
    this.outcomeTemplate = context.template("write outcomes");
    this.leaseTemplate = context.template("change leases");
    this.writeSql =
        """
        WITH locked AS MATERIALIZED (
          SELECT w.* FROM unnest(?::text[], ?::bigint[], ?::text[], ?::int[], ?::int[],
              ?::timestamptz[], ?::text[])
            AS w(event_id, lease_no, owner, status, attempts, at, error)
          JOIN %1$s e ON e.event_id = w.event_id
          WHERE %2$s AND NOT (%3$s)
          ORDER BY e.event_id FOR UPDATE OF e SKIP LOCKED)
        UPDATE %1$s e SET
          status = w.status,
          attempts = w.attempts,
          available_at = CASE WHEN w.status IN (0, 2) THEN w.at ELSE e.available_at END,
          done_at = CASE WHEN w.status IN (1, 3) THEN w.at END,
          last_error = CASE WHEN w.status IN (2, 3) THEN w.error ELSE e.last_error END,
          locked_by = NULL, locked_at = NULL, claims = 0, starts = 0
        FROM locked w
        WHERE e.event_id = w.event_id AND %2$s
        RETURNING e.event_id
        """
            .formatted(context.table, OPEN, THERE);
    this.deleteSql =
        LOCKED_BY_REF
            .concat(
                """
                DELETE FROM %1$s e USING locked w
                WHERE e.event_id = w.event_id AND %2$s
                RETURNING e.event_id
                """)
            .formatted(context.table, OPEN);
    for (Change change : Change.values()) {
      changeSql.put(
          change,
          LOCKED_BY_REF
              .concat(
                  """
                  UPDATE %1$s e SET %3$s FROM locked w
                  WHERE e.event_id = w.event_id AND %2$s
                  RETURNING e.event_id
                  """)
              .formatted(context.table, OPEN, change.set));
    }
    this.readSql =
        "SELECT %s FROM %s WHERE event_id = ANY(?)".formatted(RowState.COLUMNS, context.table);
  }

  /** Two statements if rows are both changed and deleted; neither waits for a lock. */
  @Override
  public Set<String> write(Connection conn, List<Outcome> outcomes) {
    Map<Boolean, List<Outcome>> byDeletion =
        outcomes.stream().collect(Collectors.partitioningBy(Outcome::deletesRow));
    try {
      Set<String> written = update(conn, byDeletion.get(false));
      written.addAll(delete(conn, byDeletion.get(true)));
      return written;
    } catch (SQLException e) {
      throw context.errors.describe("write outcomes", e);
    }
  }

  private Set<String> delete(Connection conn, List<Outcome> outcomes) throws SQLException {
    return outcomes.isEmpty()
        ? Set.of()
        : ids(outcomeTemplate, conn, deleteSql, refArrays(conn, refs(outcomes)));
  }

  private Set<String> update(Connection conn, List<Outcome> outcomes) throws SQLException {
    if (outcomes.isEmpty()) {
      return new HashSet<>();
    }
    List<Object> params = refArrays(conn, refs(outcomes));
    params.add(PostgresArrays.ints(conn, outcomes, outcome -> outcome.status().code()));
    params.add(PostgresArrays.ints(conn, outcomes, Outcome::attempts));
    params.add(PostgresArrays.timestamps(conn, outcomes, Outcome::at));
    params.add(PostgresArrays.texts(conn, outcomes, Outcome::error));
    return ids(outcomeTemplate, conn, writeSql, params);
  }

  private static List<EventRef> refs(List<Outcome> outcomes) {
    return outcomes.stream().map(Outcome::ref).toList();
  }

  @Override
  public Set<String> change(
      Connection conn, Change change, Collection<EventRef> refs, List<Object> params) {
    try {
      List<Object> all = refArrays(conn, refs);
      all.addAll(params);
      return ids(leaseTemplate, conn, changeSql.get(change), all);
    } catch (SQLException e) {
      throw context.errors.describe("change leases", e);
    }
  }

  @Override
  public List<RowState> read(Connection conn, Collection<String> eventIds) {
    try {
      return outcomeTemplate.query(
          conn,
          readSql,
          row -> RowState.read(context.product, row),
          PostgresArrays.texts(conn, eventIds, id -> id));
    } catch (SQLException e) {
      throw context.errors.describe("read events", e);
    }
  }

  private static List<Object> refArrays(Connection conn, Collection<EventRef> refs)
      throws SQLException {
    return new ArrayList<>(
        Arrays.asList(
            PostgresArrays.texts(conn, refs, EventRef::eventId),
            PostgresArrays.bigints(conn, refs, EventRef::leaseNumber),
            PostgresArrays.texts(conn, refs, EventRef::owner)));
  }

  private static Set<String> ids(
      JdbcTemplate jdbc, Connection conn, String sql, List<Object> params) {
    return new HashSet<>(
        jdbc.updateReturning(conn, sql, row -> row.getString(1), params.toArray()));
  }
}
