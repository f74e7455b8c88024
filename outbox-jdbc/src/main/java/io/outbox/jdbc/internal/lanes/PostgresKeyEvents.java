package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.EngineTransactions;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.PostgresArrays;
import io.outbox.jdbc.internal.PostgresRoutes;
import io.outbox.jdbc.internal.PostgresRowSize;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.DueEvent;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.KeyPage;
import io.outbox.model.KeyQuery;
import io.outbox.model.OutboxEvent;
import io.outbox.model.PollCursor;
import io.outbox.model.SinglesPage;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One statement goes from key to key, each time to the next entry of the index, and takes the first
 * rows of each. Nothing sorts: that would read everything first, so rows come as they are found.
 */
public final class PostgresKeyEvents implements KeyEvents {

  private static final String KEY =
      "coalesce(ordering_key, coalesce(aggregate_type, '__GLOBAL__') || ':' || aggregate_id,"
          + " event_id)";
  private static final String LANE =
      "(get_byte(decode(substr(md5(%s), 1, 2), 'hex'), 0) & 63)".formatted(KEY);

  /**
   * Only the index has the order that is asked for, and so there is but one plan, which can be kept
   * whatever the table was like when it was made. Compiling it would take longer than running it.
   * And the session of a reader that has vanished ends.
   */
  private static final String BY_INDEX =
      """
      SELECT set_config('enable_sort', 'off', true), set_config('jit', 'off', true),
        set_config('plan_cache_mode', 'force_generic_plan', true),
      """
          + EngineTransactions.POSTGRES_READER;

  /** Steps to the next key of a lane, or else to the beginning of the next lane. */
  private static final String WALK =
      """
      WITH RECURSIVE walk (position, key, seq, due, keys) AS (
        SELECT 1, ?::text COLLATE "C", ?::bigint, NULL::boolean, 0::bigint
        UNION ALL
        SELECT CASE WHEN n.due IS NULL THEN w.position + 1 ELSE w.position END,
          CASE WHEN n.due IS NULL THEN '' ELSE n.key END,
          CASE WHEN n.due IS NULL THEN %4$d ELSE %5$d END,
          n.due, 1::bigint
        FROM walk w LEFT JOIN LATERAL (
          SELECT %2$s::text COLLATE "C" AS key, available_at <= ? AS due FROM %1$s
          WHERE status IN (0, 2) AND %3$s = (?::int[])[w.position]
            AND (%2$s COLLATE "C", seq) > (w.key, w.seq)
          ORDER BY %2$s COLLATE "C", seq LIMIT 1) n ON true
        WHERE w.position <= cardinality(?::int[]))
      """;

  /**
   * As {@link #WALK}, straight to the next key whose first event is wanted, if it is among the next
   * rows. If not, over all keys of these rows at once: the last of them stands for them.
   */
  private static final String WALK_PAST =
      """
      WITH RECURSIVE walk (position, key, seq, due, keys) AS (
        SELECT 1, ?::text COLLATE "C", ?::bigint, NULL::boolean, 0::bigint
        UNION ALL
        SELECT CASE WHEN n.key IS NULL AND p.key IS NULL THEN w.position + 1 ELSE w.position END,
          coalesce(n.key, p.key, ''),
          CASE WHEN n.key IS NULL AND p.key IS NULL THEN %4$d ELSE %5$d END,
          coalesce(n.due, CASE WHEN p.key IS NOT NULL THEN false END),
          CASE WHEN n.key IS NULL THEN p.keys ELSE 1 END
        FROM walk w LEFT JOIN LATERAL (
          SELECT key, due FROM (
            SELECT key, due, wanted, lag(key) OVER () IS DISTINCT FROM key AS first FROM (
              SELECT %2$s::text COLLATE "C" AS key, available_at <= ? AS due, wanted
              FROM %1$s{from}
              WHERE status IN (0, 2) AND %3$s = (?::int[])[w.position]
                AND (%2$s COLLATE "C", seq) > (w.key, w.seq)
              ORDER BY %2$s COLLATE "C", seq LIMIT %6$d) a) b
          WHERE first AND wanted LIMIT 1) n ON true
        LEFT JOIN LATERAL (
          SELECT max(key) AS key, count(DISTINCT key) AS keys FROM (
            SELECT %2$s::text COLLATE "C" AS key FROM %1$s
            WHERE n.key IS NULL AND status IN (0, 2) AND %3$s = (?::int[])[w.position]
              AND (%2$s COLLATE "C", seq) > (w.key, w.seq)
            ORDER BY %2$s COLLATE "C", seq LIMIT %6$d) a) p ON true
        WHERE w.position <= cardinality(?::int[]))
      """;

  private static final int PASSED_AT_ONCE = 50;

  private static final String WALKED =
      "SELECT (?::int[])[position] AS lane, key, %d AS after, due, keys FROM walk WHERE due IS NOT NULL LIMIT ?"
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

  /** Rows as they come in the index: cheaper than from key to key, if most keys have one event. */
  private static final String STRETCH =
      """
      SELECT e.*, 1 AS keys FROM unnest(?::int[]) WITH ORDINALITY l (lane, position) CROSS JOIN LATERAL (
        SELECT %4$s, {size} AS size FROM %1$s{from}
        WHERE status IN (0, 2) AND %3$s = l.lane
          AND (%2$s COLLATE "C", seq) > (
            CASE WHEN l.position = 1 THEN ?::text ELSE '' END COLLATE "C",
            CASE WHEN l.position = 1 THEN ?::bigint ELSE %8$d END)
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
      WHERE %3$d * (total - size) < ?
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
      WHERE %6$d * (total - size) < ?
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
          SELECT p.*, row_number() OVER () = %2$d AS final FROM (
            SELECT * FROM %1$s
            WHERE status IN (0, 2) AND locked_by IS NULL
              AND (available_at, seq) > (?, ?) AND available_at <= ?
            ORDER BY available_at, seq LIMIT %2$d) p) p{from}
        WHERE wanted OR final) l
      """;

  private static final int PASSED_BY_TIME = 10_000;

  /** In a table that is walked over for others, most events may be of routes to be left out. */
  private static final String WANTED =
      " CROSS JOIN LATERAL (SELECT " + PostgresRoutes.NONE_OF + " AS wanted) choice";

  private static final int SIZE_OF_UNWANTED = 100;

  private static final int FEW_PER_KEY = 2;

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final Statements all;
  private final Statements without;

  /** Whether most of the keys that were seen last have one event, which is wanted. */
  private volatile boolean sparse;

  /** The same in two ways to tell the size of a row. */
  private record Sized(String told, String cautious) {}

  private record Statements(Sized walk, Sized stretch, Sized read, Sized singles, String due) {}

  /**
   * @param keys how many keys it stands for
   */
  private record Found(OutboxEvent event, EventKey key, int keys, long total) {}

  public PostgresKeyEvents(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("read events by key");
    this.all = statements(false);
    this.without = statements(true);
  }

  /** What is to be left out comes as the first of its key without its payload, or not at all. */
  private Statements statements(boolean without) {
    String walk =
        (without ? WALK_PAST : WALK)
            .formatted(context.table, KEY, LANE, Long.MIN_VALUE, Long.MAX_VALUE, PASSED_AT_ONCE);
    String byTime = without ? BY_TIME_PAST : BY_TIME;
    String given = GIVEN.formatted(context.table, KEY, LANE);
    String due =
        """
        SELECT %s, event_id, available_at FROM %s
        WHERE status IN (0, 2) AND locked_by IS NULL AND available_at > ? AND available_at <= ?{where}
        ORDER BY available_at, seq LIMIT ?
        """
            .formatted(KEY, context.table);
    return new Statements(
        sized(without, walk + rows(BY_KEY, WALKED, without)),
        sized(without, rows(STRETCH, "", without)),
        sized(without, rows(BY_KEY, given, without)),
        sized(
            without,
            SINGLES.formatted(
                light("alone"),
                context.table,
                KEY,
                LANE,
                "{size}",
                PostgresRowSize.IN_MEMORY,
                byTime.formatted(context.table, PASSED_BY_TIME))),
        filled(without, due, ""));
  }

  private String rows(String source, String keys, boolean without) {
    String columns = without ? light("wanted") : EventColumns.ALL;
    String rows =
        source.formatted(context.table, KEY, LANE, columns, keys, null, null, Long.MIN_VALUE);
    return ROWS.formatted(EventColumns.ALL, rows, PostgresRowSize.IN_MEMORY);
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

  private static Sized sized(boolean without, String sql) {
    return new Sized(
        filled(without, sql, PostgresRowSize.TOLD), filled(without, sql, PostgresRowSize.CAUTIOUS));
  }

  private static String filled(boolean without, String sql, String size) {
    return sql.replace("{due}", without ? " AND wanted" : "")
        .replace("{from}", without ? WANTED : "")
        .replace("{where}", without ? " AND " + PostgresRoutes.NONE_OF : "")
        .replace(
            "{size}",
            without
                ? "CASE WHEN wanted THEN " + size + " ELSE " + SIZE_OF_UNWANTED + " END"
                : size);
  }

  private Statements statements(KeyQuery query) {
    return query.without().isEmpty() ? all : without;
  }

  @Override
  public KeyPage walk(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query)
      throws SQLException {
    boolean inside = after != null && lanes.contains(after.lane());
    List<Integer> left =
        lanes.stream().filter(lane -> after == null || lane >= after.lane()).sorted().toList();
    Array array = PostgresArrays.ints(conn, left, lane -> lane);
    String key = inside ? after.name() : "";
    long seq = inside ? Long.MAX_VALUE : Long.MIN_VALUE;
    // With few events per key somebody asks for few.
    boolean stretch = sparse && query.perKey() <= FEW_PER_KEY;
    int maxRows = stretch ? Math.min(query.maxRows(), query.maxKeys()) : query.maxRows();
    Object now = context.product.parameter(query.now());
    List<Object> routes = PostgresRoutes.params(conn, query.without());
    List<Found> found =
        stretch
            ? query(
                conn,
                statements(query).stretch(),
                params(List.of(array), routes, key, seq, maxRows, maxRows, query.maxBytes()))
            : query(
                conn,
                statements(query).walk(),
                params(
                    params(
                        params(List.of(key, seq, now), routes, array),
                        routes.isEmpty() ? List.of() : List.of(array),
                        array,
                        array,
                        query.maxKeys()),
                    routes,
                    query.perKey(),
                    maxRows,
                    query.maxBytes()));
    int keys = (int) found.stream().map(Found::key).distinct().count();
    long passed = found.stream().filter(row -> query.leavesOut(row.event())).count();
    sparse = 2 * found.size() <= 3 * keys && 2 * passed <= found.size();
    boolean ended = keys < query.maxKeys() && !isCut(found, maxRows, query);
    Optional<EventKey> last = ended ? Optional.empty() : Optional.of(last(found));
    return page(trimmed(found, query), visited(found), last);
  }

  private static int visited(List<Found> found) {
    int visited = 0;
    EventKey key = null;
    for (Found row : found) {
      visited += row.key().equals(key) ? 0 : row.keys();
      key = row.key();
    }
    return visited;
  }

  private static List<Object> params(List<Object> before, List<Object> routes, Object... after) {
    return List.of(InLists.params(before, routes, after));
  }

  /** Of each key as many as a walk would have brought, until one that is to be left out. */
  private static List<Found> trimmed(List<Found> found, KeyQuery query) {
    List<Found> trimmed = new ArrayList<>();
    EventKey key = null;
    int left = 0;
    for (Found row : found) {
      if (!row.key().equals(key)) {
        key = row.key();
        left = row.event().availableAt().isAfter(query.now()) ? 1 : query.perKey();
      }
      left = query.leavesOut(row.event()) ? 0 : left;
      if (left-- > 0) {
        trimmed.add(row);
      }
    }
    return trimmed;
  }

  @Override
  public KeyPage read(
      Connection conn, List<EventKey> keys, Map<EventKey, Long> after, KeyQuery query)
      throws SQLException {
    List<EventKey> visited = keys.subList(0, Math.min(keys.size(), query.maxKeys()));
    List<Object> routes = PostgresRoutes.params(conn, query.without());
    List<Found> found =
        query(
            conn,
            statements(query).read(),
            params(
                params(
                    List.of(
                        PostgresArrays.ints(conn, visited, EventKey::lane),
                        PostgresArrays.texts(conn, visited, EventKey::name),
                        PostgresArrays.bigints(conn, visited, after::get),
                        context.product.parameter(query.now())),
                    routes),
                routes,
                query.perKey(),
                query.maxRows(),
                query.maxBytes()));
    if (isCut(found, query.maxRows(), query)) {
      visited = visited.subList(0, visited.indexOf(last(found)) + 1);
    } else if (visited.size() == keys.size()) {
      return page(trimmed(found, query), keys.size(), Optional.empty());
    }
    return page(
        trimmed(found, query), visited.size(), Optional.of(visited.get(visited.size() - 1)));
  }

  @Override
  public Optional<SinglesPage> singles(
      Connection conn, Set<Integer> lanes, PollCursor after, KeyQuery query) throws SQLException {
    planByIndex(conn);
    Sized sql = statements(query).singles();
    boolean told = PostgresRowSize.isTold(conn, context.errors);
    List<Looked> looked =
        jdbc.query(
            conn,
            context.waiting.reading(conn, told ? sql.told() : sql.cautious()),
            this::looked,
            InLists.params(
                List.of(
                    PostgresArrays.ints(conn, lanes, lane -> lane),
                    after == null
                        ? context.product.beginningOfTime()
                        : context.product.parameter(after.dueAt()),
                    after == null ? 0 : after.dueSeq(),
                    context.product.parameter(query.now())),
                PostgresRoutes.params(conn, query.without()),
                query.maxRows(),
                query.maxBytes()));
    List<OutboxEvent> rows = looked.stream().filter(Looked::alone).map(Looked::event).toList();
    int own = (int) looked.stream().filter(Looked::own).count();
    Looked end = looked.isEmpty() ? null : looked.get(looked.size() - 1);
    if (end == null
        || (looked.size() < query.maxRows() && end.total() < query.maxBytes() && !end.more())) {
      return Optional.of(new SinglesPage(rows, own, Optional.empty()));
    }
    OutboxEvent last = end.event();
    PollCursor cursor = new PollCursor(last.availableAt(), last.seq(), null, 0);
    return Optional.of(new SinglesPage(rows, own, Optional.of(cursor)));
  }

  /**
   * @param more whether there may be more, though few came
   */
  private record Looked(OutboxEvent event, boolean own, boolean alone, boolean more, long total) {}

  private Looked looked(ResultSet row) throws SQLException {
    return new Looked(
        context.columns.read(row),
        row.getBoolean(EventColumns.COUNT + 1),
        row.getBoolean(EventColumns.COUNT + 2),
        row.getBoolean(EventColumns.COUNT + 3),
        PostgresRowSize.IN_MEMORY * row.getLong(EventColumns.COUNT + 4));
  }

  @Override
  public List<DueEvent> due(
      Connection conn, Instant after, Instant until, List<EventRoute> routes, int limit)
      throws SQLException {
    planByIndex(conn);
    return jdbc.query(
        conn,
        (routes.isEmpty() ? all : without).due(),
        context::dueEvent,
        InLists.params(
            List.of(context.product.parameter(after), context.product.parameter(until)),
            PostgresRoutes.params(conn, routes),
            limit));
  }

  private List<Found> query(Connection conn, Sized sql, List<Object> params) {
    planByIndex(conn);
    boolean told = PostgresRowSize.isTold(conn, context.errors);
    String statement = context.waiting.reading(conn, told ? sql.told() : sql.cautious());
    return jdbc.query(conn, statement, this::found, params.toArray());
  }

  private void planByIndex(Connection conn) {
    jdbc.query(conn, BY_INDEX, row -> row.getString(1));
  }

  private Found found(ResultSet row) throws SQLException {
    OutboxEvent event = context.columns.read(row);
    long total = PostgresRowSize.IN_MEMORY * row.getLong(EventColumns.COUNT + 1);
    return new Found(event, event.key(), row.getInt(EventColumns.COUNT + 2), total);
  }

  /** Whether there may be more that the limits of rows and bytes left out. */
  private static boolean isCut(List<Found> found, int maxRows, KeyQuery query) {
    return found.size() == maxRows
        || (!found.isEmpty() && found.get(found.size() - 1).total() >= query.maxBytes());
  }

  private static EventKey last(List<Found> found) {
    return found.get(found.size() - 1).key();
  }

  private static KeyPage page(List<Found> found, int keys, Optional<EventKey> last) {
    return new KeyPage(found.stream().map(Found::event).toList(), keys, last);
  }
}
