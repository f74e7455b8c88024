package io.outbox.jdbc.archive;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.InLists;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Puts archived events into the outbox table again: new rows under the old ids, without attempts,
 * due at once, as a replay makes them. Their lease numbers go on, so that no outcome of an earlier
 * life fits.
 */
final class Reinsertion {

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final String presentSql;
  private final String insertSql;

  Reinsertion(StoreContext context) {
    this.context = context;
    this.jdbc = context.template("replay archived events");
    this.presentSql = "SELECT event_id FROM %s WHERE event_id IN ".formatted(context.byKey());
    this.insertSql =
        """
        INSERT INTO %1$s (event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload,
          payload_bytes, content_type, headers, ordering_key, partition_key, created_at,
          available_at, replayed_at, lease_no, status, attempts)
        VALUES (?, ?, ?, ?, ?, %2$s, ?, ?, %2$s, ?, ?, ?, ?, ?, ?, 0, 0)
        """
            .formatted(context.table, context.product.jsonParameter());
  }

  /** Inserts those events whose ids the table does not have; returns how many. */
  int insert(Connection conn, List<OutboxEvent> events, Instant now) {
    Map<String, OutboxEvent> missing = new LinkedHashMap<>();
    events.forEach(event -> missing.merge(event.eventId(), event, Reinsertion::later));
    Set<String> present =
        new HashSet<>(
            InLists.query(
                jdbc,
                conn,
                presentSql,
                missing.keySet().stream().sorted().toList(),
                "",
                row -> row.getString(1)));
    missing.keySet().removeAll(present);
    if (!missing.isEmpty()) {
      // In the order in which they were written: that of a key's events.
      jdbc.updateBatch(
          conn,
          insertSql,
          missing.values().stream()
              .sorted(Comparator.comparingLong(OutboxEvent::seq))
              .map(event -> values(event, now))
              .toList());
    }
    return missing.size();
  }

  /** Files may have an event twice, from different lives. */
  private static OutboxEvent later(OutboxEvent one, OutboxEvent other) {
    return one.leaseNumber() >= other.leaseNumber() ? one : other;
  }

  private Object[] values(OutboxEvent event, Instant now) {
    Object at = context.time(now);
    return new Object[] {
      event.eventId(),
      event.eventType(),
      event.aggregateType(),
      event.aggregateId(),
      event.tenantId(),
      event.payloadJson(),
      event.payloadBytes(),
      event.contentType(),
      event.headersJson(),
      event.orderingKey(),
      event.partitionKey(),
      context.time(event.createdAt()),
      at,
      at,
      event.leaseNumber() + 1
    };
  }
}
