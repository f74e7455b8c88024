package io.outbox.jdbc.internal;

import io.outbox.AggregateType;
import io.outbox.model.EventRoute;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Function;

/** SQL that tells whether a row is of none of some routes. */
public final class PostgresRoutes {

  /** By routes with both types, with an aggregate type only, and with an event type only. */
  public static final String NONE_OF =
      """
      ((%1$s, event_type) NOT IN (SELECT * FROM unnest(?::text[], ?::text[]))
        AND %1$s <> ALL (?::text[]) AND event_type <> ALL (?::text[]))\
      """
          .formatted("coalesce(aggregate_type, '" + AggregateType.GLOBAL.name() + "')");

  private PostgresRoutes() {}

  /** For {@link #NONE_OF}; empty if there are no routes. */
  public static List<Object> params(Connection conn, List<EventRoute> routes) throws SQLException {
    if (routes.isEmpty()) {
      return List.of();
    }
    List<EventRoute> exact =
        routes.stream()
            .filter(route -> route.aggregateType() != null && route.eventType() != null)
            .toList();
    List<EventRoute> aggregates =
        routes.stream().filter(route -> route.eventType() == null).toList();
    List<EventRoute> events =
        routes.stream().filter(route -> route.aggregateType() == null).toList();
    return List.of(
        texts(conn, exact, EventRoute::aggregateType),
        texts(conn, exact, EventRoute::eventType),
        texts(conn, aggregates, EventRoute::aggregateType),
        texts(conn, events, EventRoute::eventType));
  }

  private static Object texts(
      Connection conn, List<EventRoute> routes, Function<EventRoute, String> type)
      throws SQLException {
    return PostgresArrays.texts(conn, routes, type);
  }
}
