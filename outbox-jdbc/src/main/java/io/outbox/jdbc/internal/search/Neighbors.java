package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Conditions;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.schema.SchemaSnapshot;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.EventSummary;
import java.sql.Connection;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Events with the same key as another: along an index by key if there is one, else among those that
 * are near it in the orders through all rows.
 */
public final class Neighbors {

  private final StoreContext context;
  private final SearchOrders orders;
  private final JdbcTemplate jdbc;

  public Neighbors(StoreContext context, SearchOrders orders) {
    this.context = context;
    this.orders = orders;
    this.jdbc = context.template("look for events with the same key");
  }

  public List<EventSummary> around(
      Connection conn, OutboxEvent event, int each, int scanLimit, SchemaSnapshot schema) {
    Conditions key = sameKey(event);
    if (key.isEmpty()) {
      return List.of();
    }
    List<SearchOrder> ways = ways(event, schema);
    int rows = Math.max(1, scanLimit / (2 * ways.size()));
    Map<String, EventSummary> found = new LinkedHashMap<>();
    for (SearchOrder way : ways) {
      for (boolean newer : new boolean[] {false, true}) {
        for (EventSummary near : near(conn, event, way, newer, key, rows, each)) {
          found.put(near.eventId(), near);
        }
      }
    }
    found.remove(event.eventId());
    return nearest(found.values(), event.seq(), each);
  }

  /** An event without either has its own key. */
  private static Conditions sameKey(OutboxEvent event) {
    Conditions key = new Conditions();
    if (event.orderingKey() != null) {
      key.add("ordering_key = ?", event.orderingKey());
    } else if (event.aggregateId() != null) {
      key.add("ordering_key IS NULL AND aggregate_id = ?", event.aggregateId());
      key.same("aggregate_type", event.aggregateType());
    }
    return key;
  }

  private List<SearchOrder> ways(OutboxEvent event, SchemaSnapshot schema) {
    SearchOrder byKey =
        event.orderingKey() != null ? SearchOrders.BY_KEY : SearchOrders.BY_AGGREGATE;
    return schema.hasIndex(byKey.index()) ? List.of(byKey) : orders.all();
  }

  /** Those of the same key among the rows next to where the event is in an order, or would be. */
  private List<EventSummary> near(
      Connection conn,
      OutboxEvent event,
      SearchOrder order,
      boolean newer,
      Conditions key,
      int rows,
      int each) {
    Conditions beside = beside(event, order, newer, key);
    String sql =
        """
        SELECT %s FROM (SELECT %s FROM %s WHERE %s ORDER BY %s LIMIT ?) w
        WHERE %s ORDER BY ABS(seq - ?) LIMIT ?
        """
            .formatted(
                SummaryColumns.ALL,
                SummaryColumns.RAW,
                context.along(order.index()),
                beside.text(),
                newer ? order.orderBy().replace(" DESC", "") : order.orderBy(),
                key.text());
    List<Object> params = new ArrayList<>(beside.params());
    params.add(rows);
    params.addAll(key.params());
    params.add(event.seq());
    params.add(4 * each);
    return jdbc.query(
        conn,
        context.waiting.reading(conn, sql),
        row -> SummaryColumns.read(context.product, row),
        params.toArray());
  }

  private Conditions beside(OutboxEvent event, SearchOrder order, boolean newer, Conditions key) {
    Conditions beside = new Conditions().add(order.rows());
    if (order == SearchOrders.BY_KEY || order == SearchOrders.BY_AGGREGATE) {
      beside.addAll(key);
    }
    return order.isTimed()
        ? beside.add(order.at() + (newer ? " >= ?" : " <= ?"), context.time(at(order, event)))
        : beside.add(newer ? "seq > ?" : "seq < ?", event.seq());
  }

  private static Instant at(SearchOrder order, OutboxEvent event) {
    boolean finished = event.doneAt() != null && order.index().equals("finished");
    return finished ? event.doneAt() : event.createdAt();
  }

  private static List<EventSummary> nearest(Collection<EventSummary> all, long seq, int each) {
    Comparator<EventSummary> bySeq = Comparator.comparingLong(EventSummary::seq);
    Stream<EventSummary> before =
        all.stream().filter(e -> e.seq() < seq).sorted(bySeq.reversed()).limit(each);
    Stream<EventSummary> behind = all.stream().filter(e -> e.seq() > seq).sorted(bySeq).limit(each);
    return Stream.concat(before, behind).sorted(bySeq).toList();
  }
}
