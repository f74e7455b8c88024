package io.outbox.jdbc.archive;

import io.outbox.internal.json.JsonTree;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;

/**
 * An event as one line of JSON. Payload and headers are texts in it, so that they come back as they
 * were written; a field that is null is left out. Names are those of the columns, and published.
 */
final class EventLine {

  private EventLine() {}

  static String write(OutboxEvent event, Instant archivedAt) {
    StringBuilder json = new StringBuilder("{");
    text(json, "event_id", event.eventId());
    text(json, "event_type", event.eventType());
    text(json, "aggregate_type", event.aggregateType());
    text(json, "aggregate_id", event.aggregateId());
    text(json, "tenant_id", event.tenantId());
    text(json, "payload", event.payloadJson());
    byte[] bytes = event.payloadBytes();
    text(json, "payload_base64", bytes == null ? null : Base64.getEncoder().encodeToString(bytes));
    text(json, "content_type", event.contentType());
    text(json, "headers", event.headersJson());
    text(json, "ordering_key", event.orderingKey());
    text(json, "partition_key", event.partitionKey());
    text(json, "status", event.status());
    number(json, "attempts", event.attempts());
    text(json, "available_at", event.availableAt());
    text(json, "created_at", event.createdAt());
    text(json, "done_at", event.doneAt());
    text(json, "last_error", event.lastError());
    number(json, "seq", event.seq());
    number(json, "lease_no", event.leaseNumber());
    text(json, "replayed_at", event.replayedAt());
    text(json, "archived_at", archivedAt);
    return json.append('}').toString();
  }

  private static void text(StringBuilder json, String name, Object value) {
    if (value != null) {
      name(json, name).append('"');
      value.toString().chars().forEach(c -> append(json, (char) c));
      json.append('"');
    }
  }

  private static void number(StringBuilder json, String name, long value) {
    name(json, name).append(value);
  }

  private static StringBuilder name(StringBuilder json, String name) {
    return json.append(json.length() == 1 ? "\"" : ",\"").append(name).append("\":");
  }

  private static void append(StringBuilder json, char c) {
    if (c == '"' || c == '\\') {
      json.append('\\').append(c);
    } else if (c < ' ' || Character.isSurrogate(c) || c == '\u2028' || c == '\u2029') {
      json.append("\\u%04x".formatted((int) c));
    } else {
      json.append(c);
    }
  }

  /**
   * Reads what {@link #write} wrote; other fields are ignored.
   *
   * @param payload whether the event gets its payload
   * @throws IllegalArgumentException if it is no such line
   */
  static OutboxEvent read(String line, boolean payload) {
    if (!(JsonTree.read(line) instanceof Map<?, ?> fields)) {
      throw new IllegalArgumentException("it is no JSON object");
    }
    try {
      return read(fields, payload);
    } catch (NullPointerException | ClassCastException | DateTimeException e) {
      throw new IllegalArgumentException("it is no archived event: " + e.getMessage(), e);
    }
  }

  private static OutboxEvent read(Map<?, ?> fields, boolean payload) {
    String bytes = payload ? text(fields, "payload_base64") : null;
    return OutboxEvent.builder(text(fields, "event_id"), text(fields, "event_type"))
        .aggregate(text(fields, "aggregate_type"), text(fields, "aggregate_id"))
        .tenantId(text(fields, "tenant_id"))
        .payloadJson(payload ? text(fields, "payload") : null)
        .payloadBytes(
            bytes == null ? null : Base64.getDecoder().decode(bytes), text(fields, "content_type"))
        .headersJson(text(fields, "headers"))
        .orderingKey(text(fields, "ordering_key"))
        .partitionKey(text(fields, "partition_key"))
        .status(EventStatus.valueOf(text(fields, "status")))
        .attempts((int) number(fields, "attempts"))
        .availableAt(time(fields, "available_at"))
        .createdAt(time(fields, "created_at"))
        .doneAt(time(fields, "done_at"))
        .lastError(text(fields, "last_error"))
        .seq(number(fields, "seq"))
        .leaseNumber(number(fields, "lease_no"))
        .replayedAt(time(fields, "replayed_at"))
        .build();
  }

  private static String text(Map<?, ?> fields, String name) {
    return (String) fields.get(name);
  }

  private static long number(Map<?, ?> fields, String name) {
    return ((BigDecimal) fields.get(name)).longValue();
  }

  private static Instant time(Map<?, ?> fields, String name) {
    String text = text(fields, name);
    return text == null ? null : Instant.parse(text);
  }
}
