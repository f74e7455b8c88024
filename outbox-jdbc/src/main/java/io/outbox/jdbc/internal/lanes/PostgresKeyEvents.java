package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.PostgresArrays;
import io.outbox.jdbc.internal.PostgresPlans;
import io.outbox.jdbc.internal.PostgresRoutes;
import io.outbox.jdbc.internal.RowSize;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import io.outbox.spi.lanes.SinglesPage;
import java.sql.Array;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One statement goes from key to key, each time to the next entry of the index, and takes the first
 * rows of each. Nothing sorts: that would read everything first, so rows come as they are found.
 */
public final class PostgresKeyEvents implements KeyEvents {

  private static final int FEW_PER_KEY = 2;

  private final StoreContext context;
  private final PostgresPlans jdbc;
  private final PostgresKeySql all;
  private final PostgresKeySql without;

  /** Whether most of the keys that were seen last have one event, which is wanted. */
  private volatile boolean sparse;

  /**
   * @param keys how many keys it stands for
   */
  private record Found(OutboxEvent event, EventKey key, int keys, long total) {}

  public PostgresKeyEvents(StoreContext context) {
    this.context = context;
    this.jdbc = new PostgresPlans(context, "read events by key");
    this.all = new PostgresKeySql(context.table, false);
    this.without = new PostgresKeySql(context.table, true);
  }

  private PostgresKeySql sql(List<EventRoute> left) {
    return left.isEmpty() ? all : without;
  }

  @Override
  public KeyPage scan(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query) {
    boolean inside = after != null && lanes.contains(after.lane());
    List<Integer> left =
        lanes.stream().filter(lane -> after == null || lane >= after.lane()).sorted().toList();
    Array array = PostgresArrays.ints(conn, left, lane -> lane);
    String key = inside ? after.name() : "";
    long seq = inside ? Long.MAX_VALUE : Long.MIN_VALUE;
    // With few events per key somebody asks for few.
    boolean stretch = sparse && query.perKey() <= FEW_PER_KEY;
    int maxRows = stretch ? Math.min(query.maxRows(), query.maxKeys()) : query.maxRows();
    Object now = context.time(query.now());
    List<Object> routes = PostgresRoutes.params(conn, query.without());
    List<Found> found =
        stretch
            ? query(
                conn,
                sql(query.without()).stretch,
                params(List.of(array), routes, key, seq, maxRows, maxRows, query.maxBytes()))
            : query(
                conn,
                sql(query.without()).scan,
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

  /** Of each key as many as a scan would have brought, until one that is to be left out. */
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
      Connection conn, List<EventKey> keys, Map<EventKey, Long> after, KeyQuery query) {
    List<EventKey> visited = keys.subList(0, Math.min(keys.size(), query.maxKeys()));
    List<Object> routes = PostgresRoutes.params(conn, query.without());
    List<Found> found =
        query(
            conn,
            sql(query.without()).read,
            params(
                params(
                    List.of(
                        PostgresArrays.ints(conn, visited, EventKey::lane),
                        PostgresArrays.texts(conn, visited, EventKey::name),
                        PostgresArrays.bigints(conn, visited, after::get),
                        context.time(query.now())),
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
  public Optional<Set<EventKey>> withOthers(Connection conn, Map<EventKey, String> eventIds) {
    List<EventKey> keys = List.copyOf(eventIds.keySet());
    return jdbc.readAtOnce(
            conn,
            all.withOthers,
            row -> row.getBoolean(2) ? keys.get(row.getInt(1) - 1) : null,
            PostgresArrays.ints(conn, keys, EventKey::lane),
            PostgresArrays.texts(conn, keys, EventKey::name),
            PostgresArrays.texts(conn, keys, eventIds::get))
        .map(found -> found.stream().filter(Objects::nonNull).collect(Collectors.toSet()));
  }

  @Override
  public Optional<SinglesPage> singles(
      Connection conn, Set<Integer> lanes, PollCursor after, KeyQuery query) {
    List<Looked> looked =
        jdbc.query(
            conn,
            PostgresPlans.READ_BY_INDEX,
            context.waiting.reading(conn, sql(query.without()).singles),
            this::looked,
            InLists.params(
                List.of(
                    PostgresArrays.ints(conn, lanes, lane -> lane),
                    position(after),
                    after == null ? 0 : after.dueSeq(),
                    context.time(query.now())),
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
        RowSize.IN_MEMORY * row.getLong(EventColumns.COUNT + 4));
  }

  @Override
  public List<DueRow> due(
      Connection conn, PollCursor after, Instant until, List<EventRoute> routes, int limit) {
    return jdbc.query(
        conn,
        PostgresPlans.READ_BY_INDEX,
        sql(routes).due,
        row -> DueRow.read(context, row),
        InLists.params(
            List.of(position(after), after == null ? 0 : after.dueSeq(), context.time(until)),
            PostgresRoutes.params(conn, routes),
            limit));
  }

  private Object position(PollCursor after) {
    return after == null ? context.product.beginningOfTime() : context.time(after.dueAt());
  }

  private List<Found> query(Connection conn, String sql, List<Object> params) {
    return jdbc.query(
        conn,
        PostgresPlans.READ_BY_INDEX,
        context.waiting.reading(conn, sql),
        this::found,
        params.toArray());
  }

  private Found found(ResultSet row) throws SQLException {
    OutboxEvent event = context.columns.read(row);
    long total = RowSize.IN_MEMORY * row.getLong(EventColumns.COUNT + 1);
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
