package io.outbox.cli.move;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.outbox.EventEnvelope;
import io.outbox.cli.move.mapping.EventField;
import io.outbox.cli.move.mapping.Field;
import io.outbox.cli.move.mapping.Mapping;
import io.outbox.cli.move.mapping.SourceColumns;
import java.nio.charset.StandardCharsets;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Makes events of rows. */
final class RowReader {

  private static final String JSON = "application/json";

  private final Mapping mapping;
  private final SourceColumns columns;
  private final EventIds ids;
  private final List<String> selected = new ArrayList<>();

  RowReader(Mapping mapping, SourceColumns columns) {
    this.mapping = mapping;
    this.columns = columns;
    this.ids = new EventIds(mapping.origin().idNamespace());
    select(mapping.origin().key());
    mapping.fields().values().forEach(this::select);
    mapping.headers().values().forEach(this::select);
  }

  private void select(Field field) {
    if (field.column() != null && (!field.optional() || columns.has(field.column()))) {
      select(field.column());
    }
  }

  private void select(String column) {
    String quoted = columns.require(column).quoted();
    if (!selected.contains(quoted)) {
      selected.add(quoted);
    }
  }

  /** The columns of a statement whose rows it reads. */
  String selected() {
    return String.join(", ", selected);
  }

  /** Whether it knows when an event occurred. */
  boolean knowsTime() {
    return isThere(mapping.fields().get(EventField.OCCURRED_AT));
  }

  private boolean isThere(Field field) {
    return field != null && (field.column() == null || columns.has(field.column()));
  }

  /**
   * The row with its event.
   *
   * @param now the database's time: an event that is due already needs no time to wait for
   */
  SourceRow read(ResultSet row, Instant now) throws SQLException {
    Object key = row.getObject(1);
    try {
      Instant occurredAt = time(row, EventField.OCCURRED_AT);
      EventEnvelope event = event(row, occurredAt == null ? now : occurredAt, now);
      return new SourceRow(
          key,
          event,
          occurredAt != null,
          time(row, EventField.FINISHED_AT),
          text(row, EventField.ERROR),
          null);
    } catch (IllegalArgumentException | DateTimeException e) {
      return SourceRow.refused(key, e.getMessage());
    }
  }

  private EventEnvelope event(ResultSet row, Instant occurredAt, Instant now) throws SQLException {
    EventEnvelope.Builder builder = EventEnvelope.builder(required(row, EventField.TYPE));
    builder.eventId(ids.of(idOf(row))).occurredAt(occurredAt);
    String aggregateType = text(row, EventField.AGGREGATE_TYPE);
    if (aggregateType != null) {
      builder.aggregateType(aggregateType);
    }
    builder
        .aggregateId(text(row, EventField.AGGREGATE_ID))
        .tenantId(text(row, EventField.TENANT_ID))
        .orderingKey(text(row, EventField.ORDERING_KEY))
        .partitionKey(text(row, EventField.PARTITION_KEY))
        .headers(headers(row));
    Instant availableAt = time(row, EventField.AVAILABLE_AT);
    if (availableAt != null && availableAt.isAfter(now)) {
      builder.availableAt(availableAt);
    }
    payload(row, builder);
    return builder.build();
  }

  private Object idOf(ResultSet row) throws SQLException {
    Field field = mapping.fields().get(EventField.ID);
    String column = field == null ? mapping.origin().key() : field.column();
    Object id = row.getObject(position(column));
    if (id == null) {
      throw new IllegalArgumentException("the id is NULL");
    }
    return id;
  }

  private void payload(ResultSet row, EventEnvelope.Builder builder) throws SQLException {
    Field field = mapping.fields().get(EventField.PAYLOAD);
    boolean binary = field.column() != null && isBinary(field.column());
    byte[] bytes = binary ? row.getBytes(position(field.column())) : null;
    String text = field.constant();
    if (field.column() != null && !binary) {
      text = row.getString(position(field.column()));
    }
    if (bytes == null && text == null) {
      throw new IllegalArgumentException("the payload is NULL");
    }
    String contentType = text(row, EventField.CONTENT_TYPE);
    if (contentType == null || contentType.equals(JSON)) {
      builder.payloadJson(text == null ? BinaryText.utf8(bytes) : text);
    } else {
      builder.payloadBytes(
          bytes == null ? text.getBytes(StandardCharsets.UTF_8) : bytes, contentType);
    }
  }

  private boolean isBinary(String column) {
    return columns.require(column).kind() == SourceColumns.Kind.BYTES;
  }

  private Map<String, String> headers(ResultSet row) throws SQLException {
    Map<String, String> headers = new LinkedHashMap<>();
    String json = text(row, EventField.HEADERS);
    if (json != null && !json.isBlank()) {
      object(json).asMap().forEach((name, value) -> addHeader(headers, name, value));
    }
    for (Map.Entry<String, Field> header : mapping.headers().entrySet()) {
      String value = text(row, header.getValue());
      if (value != null) {
        headers.put(header.getKey(), value);
      }
    }
    return headers;
  }

  private static JsonObject object(String json) {
    try {
      JsonElement element = JsonParser.parseString(json);
      if (element.isJsonObject()) {
        return element.getAsJsonObject();
      }
      if (element.isJsonNull()) {
        return new JsonObject();
      }
    } catch (JsonParseException e) {
      throw new IllegalArgumentException("the headers are no JSON", e);
    }
    throw new IllegalArgumentException("the headers are no JSON object");
  }

  private static void addHeader(Map<String, String> headers, String name, JsonElement value) {
    if (!value.isJsonNull()) {
      headers.put(name, value.isJsonPrimitive() ? value.getAsString() : value.toString());
    }
  }

  private String required(ResultSet row, EventField field) throws SQLException {
    String text = text(row, field);
    if (text == null) {
      throw new IllegalArgumentException("the " + field + " is NULL");
    }
    return text;
  }

  private String text(ResultSet row, EventField field) throws SQLException {
    return text(row, mapping.fields().get(field));
  }

  private String text(ResultSet row, Field field) throws SQLException {
    if (!isThere(field)) {
      return null;
    }
    if (field.column() == null) {
      return field.constant();
    }
    int position = position(field.column());
    return field.value(
        isBinary(field.column()) ? BinaryText.of(row.getBytes(position)) : row.getString(position));
  }

  /** Null if there is none. */
  private Instant time(ResultSet row, EventField name) throws SQLException {
    Field field = mapping.fields().get(name);
    if (!isThere(field)) {
      return null;
    }
    if (field.column() == null) {
      return Instant.parse(field.constant());
    }
    int position = position(field.column());
    if (row.getObject(position) == null) {
      return null;
    }
    return switch (columns.require(field.column()).kind()) {
      case INSTANT -> row.getObject(position, OffsetDateTime.class).toInstant();
      case LOCAL_TIME ->
          row.getObject(position, LocalDateTime.class).atZone(mapping.origin().zone()).toInstant();
      case UTC_TIME -> row.getObject(position, LocalDateTime.class).toInstant(ZoneOffset.UTC);
      case NUMBER -> Instant.ofEpochMilli(row.getLong(position));
      default -> OffsetDateTime.parse(row.getString(position)).toInstant();
    };
  }

  private int position(String column) {
    return 1 + selected.indexOf(columns.require(column).quoted());
  }
}
