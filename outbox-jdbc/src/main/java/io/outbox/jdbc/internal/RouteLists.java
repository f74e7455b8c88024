package io.outbox.jdbc.internal;

import io.outbox.AggregateType;
import io.outbox.model.EventRoute;
import java.util.ArrayList;
import java.util.List;

/** Routes by what they name, and SQL without arrays that leaves out rows of them. */
public final class RouteLists {

  static final String TYPE = "COALESCE(aggregate_type, '" + AggregateType.GLOBAL.name() + "')";

  final List<EventRoute> exact;
  final List<EventRoute> aggregates;
  final List<EventRoute> events;

  public RouteLists(List<EventRoute> routes) {
    exact =
        InLists.padded(
            routes.stream()
                .filter(route -> route.aggregateType() != null && route.eventType() != null)
                .toList());
    aggregates =
        InLists.padded(routes.stream().filter(route -> route.eventType() == null).toList());
    events =
        InLists.padded(routes.stream().filter(route -> route.aggregateType() == null).toList());
  }

  /** Conditions that begin with AND; empty if there are no routes. */
  public String sql() {
    StringBuilder sql = new StringBuilder();
    if (!exact.isEmpty()) {
      sql.append(" AND (" + TYPE + ", event_type) NOT IN (")
          .append("(?, ?), ".repeat(exact.size() - 1))
          .append("(?, ?))");
    }
    if (!aggregates.isEmpty()) {
      sql.append(" AND " + TYPE + " NOT IN ").append(InLists.placeholders(aggregates.size()));
    }
    if (!events.isEmpty()) {
      sql.append(" AND event_type NOT IN ").append(InLists.placeholders(events.size()));
    }
    return sql.toString();
  }

  public List<Object> params() {
    List<Object> params = new ArrayList<>();
    for (EventRoute route : exact) {
      params.add(route.aggregateType());
      params.add(route.eventType());
    }
    aggregates.forEach(route -> params.add(route.aggregateType()));
    events.forEach(route -> params.add(route.eventType()));
    return params;
  }
}
