package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.PostgresRoutes;
import io.outbox.jdbc.internal.RowSize;
import io.outbox.jdbc.internal.TableName;
import java.util.stream.Stream;

/**
 * The statements of {@link PostgresKeyEvents}. What is to be left out comes as the first of its key
 * without its payload, or not at all.
 */
final class PostgresKeySql {

  private static final String KEY =
      "coalesce(ordering_key, coalesce(aggregate_type, '__GLOBAL__') || ':' || aggregate_id,"
          + " event_id)";
  private static final String LANE =
      "(get_byte(decode(substr(md5(%s), 1, 2), 'hex'), 0) & 63)".formatted(KEY);

  /** Steps to the next key of a lane, or else to the beginning of the next lane. */
  private static final String SCAN =
      """
      WITH RECURSIVE scan (position, key, seq, due, keys) AS (
        SELECT 1, ?::text COLLATE "C", ?::bigint, NULL::boolean, 0::bigint
        UNION ALL
        SELECT CASE WHEN n.due IS NULL THEN w.position + 1 ELSE w.position END,
          CASE WHEN n.due IS NULL THEN '' ELSE n.key END,
          CASE WHEN n.due IS NULL THEN %4$s ELSE %5$s END,
          n.due, 1::bigint
        FROM scan w LEFT JOIN LATERAL (
          SELECT %2$s::text COLLATE "C" AS key, available_at <= ? AS due FROM %1$s
          WHERE status IN (0, 2) AND %3$s = (?::int[])[w.position]
            AND (%2$s COLLATE "C", seq) > (w.key, w.seq)
          ORDER BY %2$s COLLATE "C", seq LIMIT 1) n ON true
        WHERE w.position <= cardinality(?::int[]))
      """;

  /**
   * As {@link #SCAN}, straight to the next key whose first event is wanted, if it is among the next
   * rows. If not, over all keys of these rows at once: the last of them stands for them.
   */
  private static final String SCAN_PAST =
      """
      WITH RECURSIVE scan (position, key, seq, due, keys) AS (
        SELECT 1, ?::text COLLATE "C", ?::bigint, NULL::boolean, 0::bigint
        UNION ALL
        SELECT CASE WHEN n.key IS NULL AND p.key IS NULL THEN w.position + 1 ELSE w.position END,
          coalesce(n.key, p.key, ''),
          CASE WHEN n.key IS NULL AND p.key IS NULL THEN %4$s ELSE %5$s END,
          coalesce(n.due, CASE WHEN p.key IS NOT NULL THEN false END),
          CASE WHEN n.key IS NULL THEN p.keys ELSE 1 END
        FROM scan w LEFT JOIN LATERAL (
          SELECT key, due FROM (
            SELECT key, due, wanted, lag(key) OVER () IS DISTINCT FROM key AS first FROM (
              SELECT %2$s::text COLLATE "C" AS key, available_at <= ? AS due, wanted
              FROM %1$s{from}
              WHERE status IN (0, 2) AND %3$s = (?::int[])[w.position]
                AND (%2$s COLLATE "C", seq) > (w.key, w.seq)
              ORDER BY %2$s COLLATE "C", seq LIMIT %6$s) a) b
          WHERE first AND wanted LIMIT 1) n ON true
        LEFT JOIN LATERAL (
          SELECT max(key) AS key, count(DISTINCT key) AS keys FROM (
            SELECT %2$s::text COLLATE "C" AS key FROM %1$s
            WHERE n.key IS NULL AND status IN (0, 2) AND %3$s = (?::int[])[w.position]
              AND (%2$s COLLATE "C", seq) > (w.key, w.seq)
            ORDER BY %2$s COLLATE "C", seq LIMIT %6$s) a) p ON true
        WHERE w.position <= cardinality(?::int[]))
      """;

  private static final int PASSED_AT_ONCE = 50;

  private static final String SCANNED =
      "SELECT (?::int[])[position] AS lane, key, %s AS after, due, keys FROM scan WHERE due IS NOT NULL LIMIT ?"
          .formatted(Long.MIN_VALUE);

  private static final String GIVEN =
      """
      SELECT g.lane, g.key, g.after, f.due, 1 AS keys
      FROM unnest(?::int[], ?::text[], ?::bigint[]) g (lane, key, after)
      CROSS JOIN LATERAL (
        SELECT available_at <= ?{due} AS due FROM %1$s{from}
        WHERE status IN (0, 2) AND %3$s = g.lane AND %2$s COLLATE "C" = g.key
          AND seq > g.after
        ORDER BY seq LIMIT 1) f
      """;

  /** Numbers and booleans only, for {@link PostgresPlans#readAtOnce}. */
  private static final String WITH_OTHERS =
      """
      SELECT g.position, o.found IS NOT NULL, %4$s
      FROM unnest(?::int[], ?::text[], ?::text[])
        WITH ORDINALITY g (lane, key, event_id, position)
      LEFT JOIN LATERAL (
        SELECT true AS found FROM %1$s
        WHERE status IN (0, 2) AND %3$s = g.lane AND %2$s COLLATE "C" = g.key
          AND NOT (event_id = g.event_id AND status = 0 AND lease_no = 0 AND attempts = 0
            AND claims = 0 AND starts = 0 AND locked_by IS NULL)
        LIMIT 1) o ON true
      """;

  /** Rows as they come in the index: cheaper than from key to key, if most keys have one event. */
  private static final String STRETCH =
      """
      SELECT e.*, 1 AS keys FROM unnest(?::int[]) WITH ORDINALITY l (lane, position) CROSS JOIN LATERAL (
        SELECT %4$s, {size} AS size FROM %1$s{from}
        WHERE status IN (0, 2) AND %3$s = l.lane
          AND (%2$s COLLATE "C", seq) > (
            CASE WHEN l.position = 1 THEN ?::text ELSE '' END COLLATE "C",
            CASE WHEN l.position = 1 THEN ?::bigint ELSE %8$s END)
        ORDER BY %2$s COLLATE "C", seq LIMIT ?) e
      """;

  private static final String BY_KEY =
      """
      SELECT e.*, k.keys FROM (%5$s) k CROSS JOIN LATERAL (
        SELECT %4$s, {size} AS size FROM %1$s{from}
        WHERE status IN (0, 2) AND %3$s = k.lane AND %2$s COLLATE "C" = k.key
          AND seq > k.after
        ORDER BY seq LIMIT CASE WHEN k.due THEN ? ELSE 1 END) e
      """;

  /** Within the limits of rows and bytes. */
  private static final String ROWS =
      """
      SELECT %1$s, total, keys FROM (
        SELECT r.*, sum(size) OVER (ROWS UNBOUNDED PRECEDING) AS total FROM (
          %2$s LIMIT ?) r) t
      WHERE %3$s * (total - size) < ?
      """;

  /**
   * Due rows as they come by time, with what tells whether they are alone. Others come without
   * their payloads: they only say where to go on.
   */
  private static final String SINGLES =
      """
      SELECT %1$s, own, alone, final, total FROM (
        SELECT s.*, sum(CASE WHEN alone THEN size ELSE 0 END) OVER (ROWS UNBOUNDED PRECEDING)
          AS total
        FROM (
          SELECT d.*, NOT EXISTS (
              SELECT 1 FROM %2$s o WHERE d.own AND o.status IN (0, 2) AND %4$s = d.lane
                AND %3$s COLLATE "C" = d.key AND o.seq <> d.seq) AND d.own AS alone
          FROM (
            SELECT *, %5$s AS size, %3$s AS key, %4$s AS lane,
              %4$s = ANY (?::int[]) AND wanted AS own
            FROM %7$s LIMIT ?) d) s) t
      WHERE %6$s * (total - size) < ?
      """;

  private static final String BY_TIME =
      """
      (SELECT *, true AS wanted, false AS final FROM %1$s
        WHERE status IN (0, 2) AND locked_by IS NULL
          AND (available_at, seq) > (?, ?) AND available_at <= ?
        ORDER BY available_at, seq) l
      """;

  /** Passes over a bounded number of rows, of which the last comes back in any case. */
  private static final String BY_TIME_PAST =
      """
      (SELECT * FROM (
          SELECT p.*, row_number() OVER () = %2$s AS final FROM (
            SELECT * FROM %1$s
            WHERE status IN (0, 2) AND locked_by IS NULL
              AND (available_at, seq) > (?, ?) AND available_at <= ?
            ORDER BY available_at, seq LIMIT %2$s) p) p{from}
        WHERE wanted OR final) l
      """;

  private static final int PASSED_BY_TIME = 10_000;

  private static final String DUE =
      """
      SELECT %s, event_id, available_at, seq FROM %s
      WHERE status IN (0, 2) AND locked_by IS NULL
        AND (available_at, seq) > (?, ?) AND available_at <= ?{where}
      ORDER BY available_at, seq LIMIT ?
      """;

  /** In a table that is scanned for others, most events may be of routes to be left out. */
  private static final String WANTED =
      " CROSS JOIN LATERAL (SELECT " + PostgresRoutes.NONE_OF + " AS wanted) choice";

  private static final int SIZE_OF_UNWANTED = 100;

  final String scan;
  final String stretch;
  final String read;
  final String withOthers;
  final String singles;
  final String due;
  private final TableName table;
  private final boolean without;

  /**
   * @param without whether there are routes to leave out
   */
  PostgresKeySql(TableName table, boolean without) {
    this.table = table;
    this.without = without;
    this.scan =
        filled(
            (without ? SCAN_PAST : SCAN)
                    .formatted(table, KEY, LANE, Long.MIN_VALUE, Long.MAX_VALUE, PASSED_AT_ONCE)
                + rows(BY_KEY, SCANNED));
    this.stretch = filled(rows(STRETCH, ""));
    this.read = filled(rows(BY_KEY, GIVEN.formatted(table, KEY, LANE)));
    this.withOthers = WITH_OTHERS.formatted(table, KEY, LANE, PostgresPlans.IS_PREPARED);
    this.singles =
        filled(
            SINGLES.formatted(
                light("alone"),
                table,
                KEY,
                LANE,
                "{size}",
                RowSize.IN_MEMORY,
                (without ? BY_TIME_PAST : BY_TIME).formatted(table, PASSED_BY_TIME)));
    this.due = filled(DUE.formatted(KEY, table));
  }

  private String rows(String source, String keys) {
    String columns = without ? light("wanted") : EventColumns.ALL;
    String rows = source.formatted(table, KEY, LANE, columns, keys, null, null, Long.MIN_VALUE);
    return ROWS.formatted(EventColumns.ALL, rows, RowSize.IN_MEMORY);
  }

  /** The columns, those that may be large only under a condition. */
  private static String light(String condition) {
    return Stream.of("payload", "payload_bytes", "headers")
        .reduce(
            " " + EventColumns.ALL + ",",
            (columns, heavy) ->
                columns.replace(
                    " " + heavy + ",",
                    " CASE WHEN %s THEN %s END AS %s,".formatted(condition, heavy, heavy)))
        .replaceAll(",$", "");
  }

  private String filled(String sql) {
    String size = RowSize.POSTGRES;
    return sql.replace("{due}", without ? " AND wanted" : "")
        .replace("{from}", without ? WANTED : "")
        .replace("{where}", without ? " AND " + PostgresRoutes.NONE_OF : "")
        .replace(
            "{size}",
            without
                ? "CASE WHEN wanted THEN " + size + " ELSE " + SIZE_OF_UNWANTED + " END"
                : size);
  }
}
