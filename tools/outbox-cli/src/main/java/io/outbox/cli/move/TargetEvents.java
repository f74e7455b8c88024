package io.outbox.cli.move;

import com.google.gson.JsonParser;
import io.outbox.EventEnvelope;
import io.outbox.cli.connect.OutboxSession;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the outbox table has of events, to be compared with the rows they came from. */
final class TargetEvents {

  private static final String COLUMNS =
      "event_id, event_type, aggregate_type, aggregate_id, tenant_id, payload, payload_bytes,"
          + " content_type, headers, ordering_key, partition_key, status, created_at";

  private final String table;
  private final boolean localTime;

  TargetEvents(OutboxSession session) throws SQLException {
    this.table = session.store().tableName();
    String product = session.connection().getMetaData().getDatabaseProductName();
    this.localTime = !List.of("PostgreSQL", "H2").contains(product);
  }

  /** Those that are there, by id. */
  Map<String, OutboxEvent> read(Connection conn, Collection<String> ids) throws SQLException {
    Map<String, OutboxEvent> events = new HashMap<>();
    if (ids.isEmpty()) {
      return events;
    }
    String sql =
        "SELECT %s FROM %s WHERE event_id IN (%s?)"
            .formatted(COLUMNS, table, "?, ".repeat(ids.size() - 1));
    try (PreparedStatement statement = conn.prepareStatement(sql)) {
      int next = 1;
      for (String id : ids) {
        statement.setString(next++, id);
      }
      try (ResultSet row = statement.executeQuery()) {
        while (row.next()) {
          events.put(row.getString(1), event(row));
        }
      }
    }
    return events;
  }

  private OutboxEvent event(ResultSet row) throws SQLException {
    return OutboxEvent.builder(row.getString(1), row.getString(2))
        .aggregate(row.getString(3), row.getString(4))
        .tenantId(row.getString(5))
        .payloadJson(row.getString(6))
        .payloadBytes(row.getBytes(7), row.getString(8))
        .headersJson(row.getString(9))
        .orderingKey(row.getString(10))
        .partitionKey(row.getString(11))
        .status(EventStatus.fromCode(row.getInt(12)))
        .createdAt(time(row, 13))
        .build();
  }

  private Instant time(ResultSet row, int column) throws SQLException {
    return localTime
        ? row.getObject(column, LocalDateTime.class).toInstant(ZoneOffset.UTC)
        : row.getObject(column, OffsetDateTime.class).toInstant();
  }

  /** What of a stored event is not as it should be; null if nothing. */
  static String difference(OutboxEvent stored, SourceRow row) {
    Map<String, Object> is = contents(stored);
    Map<String, Object> should = contents(row.event());
    if (row.timeKnown()) {
      should.put("time", row.event().occurredAt());
    }
    for (Map.Entry<String, Object> part : should.entrySet()) {
      if (!Objects.deepEquals(is.get(part.getKey()), part.getValue())) {
        return part.getKey();
      }
    }
    return null;
  }

  private static Map<String, Object> contents(OutboxEvent stored) {
    Map<String, Object> parts = new LinkedHashMap<>();
    parts.put("type", stored.eventType());
    parts.put("aggregate", Arrays.asList(stored.aggregateType(), stored.aggregateId()));
    parts.put("tenant", stored.tenantId());
    parts.put("keys", Arrays.asList(stored.orderingKey(), stored.partitionKey()));
    parts.put("payload", stored.payloadJson());
    parts.put("bytes", stored.payloadBytes());
    parts.put("content type", stored.payloadBytes() == null ? null : stored.contentType());
    parts.put("headers", headers(stored.headersJson()));
    parts.put("time", stored.createdAt());
    return parts;
  }

  private static Map<String, Object> contents(EventEnvelope event) {
    Map<String, Object> parts = new LinkedHashMap<>();
    parts.put("type", event.eventType());
    parts.put("aggregate", Arrays.asList(event.aggregateType(), event.aggregateId()));
    parts.put("tenant", event.tenantId());
    parts.put("keys", Arrays.asList(event.orderingKey(), event.partitionKey()));
    parts.put("payload", event.payloadJson());
    parts.put("bytes", event.payloadBytes());
    parts.put("content type", event.payloadBytes() == null ? null : event.contentType());
    parts.put("headers", event.headers());
    return parts;
  }

  private static Map<String, String> headers(String json) {
    Map<String, String> headers = new LinkedHashMap<>();
    if (json != null) {
      JsonParser.parseString(json)
          .getAsJsonObject()
          .asMap()
          .forEach((name, value) -> headers.put(name, value.getAsString()));
    }
    return headers;
  }
}
