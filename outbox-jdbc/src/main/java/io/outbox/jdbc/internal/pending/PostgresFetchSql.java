package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.RowSize;
import io.outbox.jdbc.internal.TableName;

/**
 * The statements of {@link PostgresPendingEvents} for a batch that is limited in bytes. Rows whose
 * lease has expired come first, then those due. The CTEs are materialized, or a row could be chosen
 * again by a second run of a subquery.
 */
final class PostgresFetchSql {

  static final String DUE = "status IN (0, 2) AND locked_by IS NULL";
  static final String LEASED = "status IN (0, 2) AND locked_by IS NOT NULL";
  static final String SET_CLAIM =
      "locked_by = ?, locked_at = ?, lease_no = e.lease_no + 1, claims = e.claims + 1";

  private static final String ROOM_IS_LEFT = "(SELECT count(*) FROM expired) < ?";

  /** The expired first, then the due, until the limit or the bytes are reached. */
  private static final String BOUNDED =
      """
      (SELECT * FROM (
        SELECT u.*, sum(size) OVER (
            ORDER BY expired DESC, position, seq ROWS UNBOUNDED PRECEDING) AS total
        FROM (
          SELECT *, true AS expired, locked_at AS position FROM expired
          UNION ALL
          SELECT *, false, available_at FROM due) u) v
      WHERE %1$s * (total - size) < ?
      ORDER BY expired DESC, position, seq LIMIT ?) w
      """
          .formatted(RowSize.IN_MEMORY);

  /**
   * Whether nothing has expired and all that is due is within the bytes: nearly always, and then
   * rows need not be passed on with a running total, which costs as much as reading them.
   */
  private static final String FITS =
      """
      , fits AS MATERIALIZED (
        SELECT (SELECT count(*) FROM expired) = 0
            AND coalesce(%1$s * sum(size), 0) < ? AS fits
        FROM (%2$s) d)
      """;

  /**
   * The same as {@link #BOUNDED} for whole rows, which would be copied for each of those steps:
   * here they are copied once, as the index has them in order, or not at all.
   */
  private static final String BOUNDED_ROWS =
      """
      (%2$s)
      UNION ALL
      SELECT %1$s, false AS expired, available_at AS position, total FROM (
        SELECT d.*, (SELECT coalesce(sum(size), 0) FROM expired) + sum(size) OVER w AS total,
          (SELECT count(*) FROM expired) + row_number() OVER w AS place
        FROM (%3$s) d WINDOW w AS (ORDER BY available_at, seq ROWS UNBOUNDED PRECEDING)) v
      WHERE %4$s * (total - size) < ? AND place <= ?
      UNION ALL
      SELECT %1$s, true, locked_at, total FROM (
        SELECT e.*, sum(size) OVER (ORDER BY locked_at, seq ROWS UNBOUNDED PRECEDING) AS total
        FROM expired e) v
      WHERE %4$s * (total - size) < ?
      """;

  /**
   * Its parameters: the expired; the bytes; the due, twice; the limit; the due; the bytes, the
   * limit, and the bytes.
   */
  final String read;

  /**
   * Its parameters: the expired; the limit; the due; the owner, now, the bytes, the limit, and the
   * expiry of leases.
   */
  final String claim;

  /** The same: of the partitions, only that of the row is looked into. */
  final String claimInPartitions;

  private final TableName table;
  private final String without;

  /** {@code without}: a condition more on the rows, or nothing. */
  PostgresFetchSql(TableName table, String without) {
    this.table = table;
    this.without = without;
    String columns = EventColumns.ALL;
    String size = ", " + RowSize.POSTGRES + " AS size";
    this.read =
        expired(columns + size, "")
            + FITS.formatted(RowSize.IN_MEMORY, due(RowSize.POSTGRES + " AS size", "true", ""))
            + BOUNDED_ROWS.formatted(
                columns,
                due(columns + ", false, available_at, 0::bigint", "(SELECT fits FROM fits)", ""),
                due(columns + size, "NOT (SELECT fits FROM fits) AND " + ROOM_IS_LEFT, ""),
                RowSize.IN_MEMORY);
    String places = "ctid AS place, tableoid AS part, available_at, locked_at, seq" + size;
    String lock = "FOR UPDATE SKIP LOCKED";
    this.claim =
        expired(places, lock)
            + ", due AS MATERIALIZED (%s)".formatted(due(places, ROOM_IS_LEFT, lock))
            + """
            UPDATE %s e SET %s FROM (SELECT place, part, seq, expired, position, total FROM %s) c
            WHERE e.ctid = c.place AND e.tableoid = c.part AND e.status IN (0, 2)
              AND (e.locked_by IS NULL OR e.locked_at < ?)
            RETURNING %s, c.expired, c.position, c.total
            """
                .formatted(table, SET_CLAIM, BOUNDED, EventColumns.of("e"));
    this.claimInPartitions =
        claim.replace("e.tableoid = c.part", "e.tableoid = c.part AND e.seq = c.seq");
  }

  /** The cursor's instant and number, the expiry of leases, now, the last creation, the limit. */
  private String expired(String columns, String lock) {
    return """
    WITH expired AS MATERIALIZED (
      SELECT %1$s FROM %2$s
      WHERE %3$s AND (locked_at, seq) > (?, ?) AND locked_at < ?
        AND available_at <= ? AND created_at <= ? %4$s
      ORDER BY locked_at, seq LIMIT ? %5$s)
    """
        .formatted(columns, table, LEASED, without, lock);
  }

  /**
   * The cursor's instant and number, now, the last creation, the limit. That is the whole limit,
   * not what the expired left: the planner must see a small constant, or it plans for a tenth of
   * the table.
   */
  private String due(String columns, String condition, String lock) {
    return """
    SELECT %1$s FROM %2$s
      WHERE %3$s AND %4$s AND (available_at, seq) > (?, ?)
        AND available_at <= ? AND created_at <= ? %5$s
      ORDER BY available_at, seq LIMIT ? %6$s
    """
        .formatted(columns, table, condition, DUE, without, lock);
  }
}
