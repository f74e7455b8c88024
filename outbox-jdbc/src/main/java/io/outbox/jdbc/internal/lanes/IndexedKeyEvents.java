package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.EventColumns;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.RouteLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.lanes.KeyEntries.Entry;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.KeyQuery;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Where no single statement can go from key to key: entries of the index are read a stretch at a
 * time, from behind the last key that was seen, and then the rows by their ids.
 */
public final class IndexedKeyEvents implements KeyEvents {

  /** While keys have few events, a stretch has many keys. */
  private static final int STRETCH = 256;

  private final StoreContext context;
  private final KeyEntries entries;
  private final JdbcTemplate jdbc;
  private final String rowsSql;
  private final String dueSql;

  public IndexedKeyEvents(StoreContext context) {
    this.context = context;
    this.entries = new KeyEntries(context);
    this.jdbc = context.template("read events by key");
    this.rowsSql =
        "SELECT %s FROM %s WHERE status IN (0, 2) AND event_id IN "
            .formatted(EventColumns.ALL, context.byKey());
    this.dueSql =
        "SELECT key_name, event_id, due_at, seq FROM %s WHERE due_at <= ? AND "
            .formatted(context.along("due"));
  }

  @Override
  public KeyPage scan(Connection conn, Set<Integer> lanes, EventKey after, KeyQuery query) {
    KeyVisits visits = new KeyVisits(query);
    EventKey position = after;
    boolean withTypes = !query.without().isEmpty();
    boolean crowded = false;
    boolean ended = lanes.isEmpty();
    while (!ended && !visits.isFull()) {
      int limit = 1 + (crowded ? visits.perKey() : visits.stretch(STRETCH));
      Set<Integer> where = crowded ? next(lanes, position.lane()) : lanes;
      Map<EventKey, List<Entry>> found =
          byKey(entries.behind(conn, where, position, limit, withTypes));
      boolean all = found.values().stream().mapToInt(List::size).sum() < limit;
      ended = all && !crowded;
      // The last key may have been cut off by the end of the stretch.
      int complete = all ? found.size() : Math.max(1, found.size() - 1);
      for (EventKey key : found.keySet().stream().limit(complete).toList()) {
        if (!visits.isFull()) {
          visits.visit(key, found.get(key));
          position = key;
        }
      }
      // One key fills a stretch: the next may too, and is looked for in as few entries as do.
      crowded = !all && found.size() == 1;
    }
    return page(conn, visits, visits.isFull() ? visits.last() : Optional.empty());
  }

  /** A lane and the one behind it. */
  private static Set<Integer> next(Set<Integer> lanes, int lane) {
    return lanes.stream()
        .filter(other -> other >= lane)
        .sorted()
        .limit(2)
        .collect(Collectors.toSet());
  }

  @Override
  public KeyPage read(
      Connection conn, List<EventKey> keys, Map<EventKey, Long> after, KeyQuery query) {
    KeyVisits visits = new KeyVisits(query);
    boolean withTypes = !query.without().isEmpty();
    while (visits.keys() < keys.size() && !visits.isFull()) {
      int next = visits.keys();
      int size = Math.min(KeyEntries.KEYS, Integer.highestOneBit(keys.size() - next));
      List<EventKey> some = keys.subList(next, next + size);
      Map<EventKey, List<Entry>> byKey =
          byKey(entries.of(conn, some, after, visits.perKey(), withTypes));
      for (EventKey key : some) {
        if (!visits.isFull()) {
          visits.visit(key, byKey.getOrDefault(key, List.of()));
        }
      }
    }
    boolean cut = visits.keys() < keys.size() || visits.left() == 0;
    return page(conn, visits, cut ? visits.last() : Optional.empty());
  }

  private static Map<EventKey, List<Entry>> byKey(List<Entry> entries) {
    Map<EventKey, List<Entry>> byKey = new LinkedHashMap<>();
    entries.forEach(
        entry -> byKey.computeIfAbsent(entry.key(), key -> new ArrayList<>()).add(entry));
    return byKey;
  }

  private KeyPage page(Connection conn, KeyVisits visits, Optional<EventKey> last) {
    Map<String, OutboxEvent> rows = new HashMap<>();
    String sql = context.waiting.reading(conn, rowsSql);
    InLists.query(jdbc, conn, sql, visits.eventIds(), "", context.columns::read)
        .forEach(row -> rows.put(row.eventId(), row));
    // What was finished since its entry was read is not there any more.
    List<OutboxEvent> inOrder =
        visits.eventIds().stream().map(rows::get).filter(Objects::nonNull).toList();
    Set<EventKey> overtaken =
        visits.eventIds().stream()
            .filter(id -> !rows.containsKey(id))
            .map(visits::withMoreBehind)
            .filter(Objects::nonNull)
            .collect(Collectors.toSet());
    return new KeyPage(inOrder, visits.keys(), last, overtaken);
  }

  @Override
  public List<DueRow> due(
      Connection conn, PollCursor after, Instant until, List<EventRoute> without, int limit) {
    RouteLists routes = new RouteLists(without);
    List<Object> params = new ArrayList<>(List.of(context.time(until)));
    String place = place(after, params);
    return jdbc.query(
        conn,
        dueSql + place + routes.sql() + " ORDER BY due_at, seq LIMIT ?",
        row -> DueRow.read(context, row),
        InLists.params(params, routes.params(), limit));
  }

  /** MySQL reads a range of the index only if the cursor is spelled out like this. */
  private String place(PollCursor after, List<Object> params) {
    Object time = after == null ? context.product.beginningOfTime() : context.time(after.dueAt());
    if (after == null || after.dueSeq() == Long.MAX_VALUE) {
      params.add(time);
      return "due_at > ?";
    }
    Collections.addAll(params, time, time, after.dueSeq(), time);
    return "due_at >= ? AND ((due_at = ? AND seq > ?) OR due_at > ?)";
  }
}
