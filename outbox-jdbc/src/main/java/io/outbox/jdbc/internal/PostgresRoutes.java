package io.outbox.jdbc.internal;

import io.outbox.model.EventRoute;
import java.sql.Connection;
import java.util.List;

/** SQL that tells whether a row is of none of some routes. */
public final class PostgresRoutes {

  /** By routes with both types, with an aggregate type only, and with an event type only. */
  public static final String NONE_OF =
      """
      ((%1$s, event_type) NOT IN (SELECT * FROM unnest(?::text[], ?::text[]))
        AND %1$s <> ALL (?::text[]) AND event_type <> ALL (?::text[]))\
      """
          .formatted(RouteLists.TYPE);

  private PostgresRoutes() {}

  /** For {@link #NONE_OF}; empty if there are no routes. */
  public static List<Object> params(Connection conn, List<EventRoute> routes) {
    if (routes.isEmpty()) {
      return List.of();
    }
    RouteLists lists = new RouteLists(routes);
    return List.of(
        PostgresArrays.texts(conn, lists.exact, EventRoute::aggregateType),
        PostgresArrays.texts(conn, lists.exact, EventRoute::eventType),
        PostgresArrays.texts(conn, lists.aggregates, EventRoute::aggregateType),
        PostgresArrays.texts(conn, lists.events, EventRoute::eventType));
  }
}
