package io.outbox.jdbc.internal.outcome;

import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.outcome.LeaseWrites.Change;
import io.outbox.model.EventRef;
import java.util.EnumMap;
import java.util.Map;

/**
 * The statements of {@link PostgresLeaseWrites}. Their parameters are arrays, bounds, values, the
 * bounds again, and twice the number of references.
 */
final class PostgresLeaseSql {

  /** Of {@code w}, the wanted, and {@code e}, the event; -1 is {@link EventRef#ANY_LEASE}. */
  private static final String OPEN =
      "e.status IN (0, 2) AND (w.lease_no = -1 OR e.lease_no = w.lease_no)"
          + " AND (w.owner IS NULL OR e.locked_by = w.owner)";

  /** Whether a pending event is as an outcome left it; see {@link RowState#isResultOf}. */
  private static final String THERE =
      "e.status = w.status AND e.attempts = w.attempts AND e.available_at = w.at"
          + " AND e.locked_by IS NULL";

  /**
   * Where the rows are that some references are open to, locked. One that was changed meanwhile has
   * moved to a place that the statement does not see yet, and is passed over like a locked one.
   */
  private static final String PLACES =
      """
      WITH locked AS MATERIALIZED (
        SELECT e.ctid AS place, e.tableoid AS part
        FROM (
          SELECT event_id, lease_no, (?::text[])[owner_no] AS owner
          FROM unnest(?::text[], ?::bigint[], ?::int[]) AS r(event_id, lease_no, owner_no)) w
        JOIN %1$s e ON e.event_id = w.event_id
        WHERE %2$s%3$s
        FOR UPDATE OF e SKIP LOCKED)
      """;

  private static final String AT_PLACE = "WHERE e.ctid = l.place AND e.tableoid = l.part";

  /**
   * Changes what is locked and says which those were, or a single null if they are as many as were
   * asked for: nearly always, and then the identifiers need not be sent.
   */
  private static final String CHANGE =
      """
      , changed AS (%s RETURNING e.event_id)
      SELECT event_id FROM changed WHERE (SELECT count(*) FROM changed) <> ?
      UNION ALL
      SELECT NULL WHERE (SELECT count(*) FROM changed) = ?
      """;

  /** After a first attempt. */
  static final String SET_DONE =
      "status = 1, attempts = 0, done_at = ?,"
          + " locked_by = NULL, locked_at = NULL, claims = 0, starts = 0";

  final String done;
  final String delete;
  private final TableName table;
  private final String bounds;
  private final String write;
  private final String markingWrite;
  private final Map<Change, String> change = new EnumMap<>(Change.class);
  private final Map<Change, String> markingChange = new EnumMap<>(Change.class);

  /** {@code bounds}: a condition more on the rows, or nothing. */
  PostgresLeaseSql(TableName table, String bounds) {
    this.table = table;
    this.bounds = bounds;
    this.write = writeSql("");
    this.markingWrite =
        writeSql(
            "waiting_since = CASE WHEN w.status IN (0, 2)"
                + " THEN COALESCE(e.waiting_since, e.available_at) END,");
    String places = PLACES.formatted(table, OPEN, bounds);
    String update = "UPDATE " + table + " e SET %s FROM locked l " + AT_PLACE + bounds;
    this.done = places + CHANGE.formatted(update.formatted(SET_DONE));
    this.delete =
        places
            + CHANGE.formatted("DELETE FROM " + table + " e USING locked l " + AT_PLACE + bounds);
    for (Change each : Change.values()) {
      change.put(each, places + CHANGE.formatted(update.formatted(each.set(false))));
      markingChange.put(each, places + CHANGE.formatted(update.formatted(each.set(true))));
    }
  }

  /** {@code mark}: whether the table says since when events wait. */
  String write(boolean mark) {
    return mark ? markingWrite : write;
  }

  String change(Change kind, boolean mark) {
    return (mark ? markingChange : change).get(kind);
  }

  /** {@code mark} is an assignment more. */
  private String writeSql(String mark) {
    return """
    WITH locked AS MATERIALIZED (
      SELECT w.* FROM (
        SELECT event_id, lease_no, (?::text[])[owner_no] AS owner, status, attempts, at, error
        FROM unnest(?::text[], ?::bigint[], ?::int[], ?::int[], ?::int[], ?::timestamptz[],
            ?::text[])
          AS r(event_id, lease_no, owner_no, status, attempts, at, error)) w
      JOIN %1$s e ON e.event_id = w.event_id
      WHERE %2$s AND NOT (%3$s)%4$s
      FOR UPDATE OF e SKIP LOCKED)
    """
            .formatted(table, OPEN, THERE, bounds)
        + CHANGE.formatted(
            """
            UPDATE %1$s e SET
              %3$s
              status = w.status,
              attempts = w.attempts,
              available_at = CASE WHEN w.status IN (0, 2) THEN w.at ELSE e.available_at END,
              done_at = CASE WHEN w.status IN (1, 3) THEN w.at END,
              last_error = CASE WHEN w.status IN (2, 3) THEN w.error ELSE e.last_error END,
              locked_by = NULL, locked_at = NULL, claims = 0, starts = 0
            FROM locked w
            WHERE e.event_id = w.event_id AND %2$s%4$s
            """
                .formatted(table, OPEN, mark, bounds));
  }
}
