package io.outbox.jdbc.internal.lanes;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.EventKey;
import io.outbox.model.EventRoute;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Entries of the index by lane, key and seq, which holds what is pending. */
final class KeyEntries {

  /** How many keys one statement asks for, at most. */
  static final int KEYS = 32;

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final Select plain;
  private final Select withTypes;

  /**
   * What the index says about an event.
   *
   * @param aggregateType null if that was not asked for, as the event type: they are in the row
   */
  record Entry(
      EventKey key, String eventId, Instant availableAt, String aggregateType, String eventType) {

    boolean isOf(EventRoute route) {
      return route.matches(aggregateType, eventType);
    }
  }

  /** Statements that read the same columns. */
  private record Select(String from, Map<Integer, String> ofKeys) {}

  KeyEntries(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("read events by key");
    this.plain = select("NULL, NULL");
    this.withTypes = select("aggregate_type, event_type");
  }

  private Select select(String types) {
    String from =
        "SELECT key_lane, key_name, event_id, available_at, %s FROM %s WHERE "
            .formatted(types, context.along("key"));
    // MariaDB sorts by columns that are given, if they are texts; H2 sorts if one is left out.
    String order = context.product == Product.H2 ? "key_lane, key_name, seq" : "seq";
    String ofOne =
        "(" + from + "key_lane = ? AND key_name = ? AND seq > ? ORDER BY " + order + " LIMIT ?)";
    Map<Integer, String> ofKeys = new HashMap<>();
    for (int keys = 1; keys <= KEYS; keys *= 2) {
      ofKeys.put(keys, String.join(" UNION ALL ", Collections.nCopies(keys, ofOne)));
    }
    return new Select(from, ofKeys);
  }

  private Select select(boolean types) {
    return types ? withTypes : plain;
  }

  /** The first {@code limit} behind {@code after}, or of all if that is null. */
  List<Entry> behind(
      Connection conn, Set<Integer> lanes, EventKey after, int limit, boolean types) {
    Select select = select(types);
    boolean inside = after != null && lanes.contains(after.lane());
    List<Integer> rest =
        lanes.stream().filter(lane -> after == null || lane > after.lane()).sorted().toList();
    // Lane by lane: for several at once H2 and MySQL sort all that there is.
    List<Entry> found = new ArrayList<>();
    if (inside) {
      String condition = "key_lane = ? AND key_name > ?";
      found.addAll(query(conn, select, condition, after.lane(), after.name(), limit));
    }
    for (int i = 0; i < rest.size() && found.size() < limit; i++) {
      int left = limit - found.size();
      found.addAll(query(conn, select, "key_lane = ?", rest.get(i), left));
    }
    return found;
  }

  private List<Entry> query(Connection conn, Select select, String condition, Object... params) {
    String sql = select.from() + condition + " ORDER BY key_lane, key_name, seq LIMIT ?";
    return jdbc.query(conn, sql, this::read, params);
  }

  /**
   * The first {@code limit} of each key, behind a seq each; as many keys as a power of two, up to
   * {@link #KEYS}.
   */
  List<Entry> of(
      Connection conn, List<EventKey> keys, Map<EventKey, Long> after, int limit, boolean types) {
    List<Object> params = new ArrayList<>();
    for (EventKey key : keys) {
      Collections.addAll(params, key.lane(), key.name(), after.get(key), limit);
    }
    return jdbc.query(conn, select(types).ofKeys().get(keys.size()), this::read, params.toArray());
  }

  private Entry read(ResultSet row) throws SQLException {
    return new Entry(
        new EventKey(row.getInt(1), row.getString(2)),
        row.getString(3),
        context.instant(row, 4),
        row.getString(5),
        row.getString(6));
  }
}
