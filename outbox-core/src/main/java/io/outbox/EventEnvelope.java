package io.outbox;

import io.outbox.internal.TextChecks;
import io.outbox.internal.Ulid;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.JsonCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * An event: type, id, aggregate, headers and payload. Immutable. Instants are kept to the
 * microsecond, which is what every supported database stores.
 */
public final class EventEnvelope {

  /** The largest payload, in bytes of UTF-8. */
  public static final int MAX_PAYLOAD_BYTES = 1_048_576;

  /** The largest set of headers, in bytes of UTF-8 of all names and values. */
  public static final int MAX_HEADER_BYTES = 65_536;

  private static final String JSON_CONTENT_TYPE = "application/json";

  private final Builder values; // which nobody changes any more

  private EventEnvelope(Builder values) {
    this.values = values;
  }

  public static Builder builder(String eventType) {
    return new Builder(eventType);
  }

  public static Builder builder(EventType eventType) {
    return new Builder(Objects.requireNonNull(eventType, "eventType").name());
  }

  /** An event with a JSON payload and nothing else. */
  public static EventEnvelope ofJson(String eventType, String payloadJson) {
    return builder(eventType).payloadJson(payloadJson).build();
  }

  /** An event with a JSON payload and nothing else. */
  public static EventEnvelope ofJson(EventType eventType, String payloadJson) {
    return builder(eventType).payloadJson(payloadJson).build();
  }

  /**
   * The envelope of a stored row, without checking its values again.
   *
   * @throws PayloadParseException if the headers are not an object of strings, or there is no
   *     payload
   */
  public static EventEnvelope fromRow(OutboxEvent row) {
    if (row.payloadJson() == null && row.payloadBytes() == null) {
      throw new PayloadParseException("event " + row.eventId() + " has no payload");
    }
    Builder builder = new Builder(row.eventType());
    builder.aggregateType =
        row.aggregateType() == null ? AggregateType.GLOBAL.name() : row.aggregateType();
    builder.aggregateId = row.aggregateId();
    builder.tenantId = row.tenantId();
    builder.payloadJson = row.payloadJson();
    builder.payloadBytes = row.payloadJson() == null ? row.payloadBytes() : null;
    builder.contentType = row.payloadJson() == null ? row.contentType() : JSON_CONTENT_TYPE;
    builder.orderingKey = row.orderingKey();
    builder.partitionKey = row.partitionKey();
    builder.headers = Collections.unmodifiableMap(new LinkedHashMap<>(parseHeaders(row)));
    builder.payloadSize =
        row.payloadJson() == null ? row.payloadBytes().length : row.payloadJson().length();
    builder.eventId = row.eventId();
    builder.occurredAt = row.createdAt();
    builder.availableAt = delayedUntil(row);
    return new EventEnvelope(builder);
  }

  /**
   * After a failure, a deferral or a replay the column has the time of the next try, not the
   * writer's delay.
   */
  private static Instant delayedUntil(OutboxEvent row) {
    if (row.replayedAt() != null) {
      return null;
    }
    Instant neverMoved = row.attempts() == 0 ? row.availableAt() : null;
    Instant firstDue = row.waitingSince() == null ? neverMoved : row.waitingSince();
    return firstDue != null && firstDue.isAfter(row.createdAt()) ? firstDue : null;
  }

  private static Map<String, String> parseHeaders(OutboxEvent row) {
    if (row.headersJson() == null || row.headersJson().isBlank()) {
      return Map.of();
    }
    JsonCodec codec = JsonCodec.getDefault();
    try {
      return codec.parseStringMap(row.headersJson());
    } catch (RuntimeException e) {
      throw new PayloadParseException(
          "the headers of event " + row.eventId() + " are not a JSON object of strings", e);
    }
  }

  public String eventId() {
    return values.eventId;
  }

  public String eventType() {
    return values.eventType;
  }

  public Instant occurredAt() {
    return values.occurredAt;
  }

  public String aggregateType() {
    return values.aggregateType;
  }

  /** May be null. */
  public String aggregateId() {
    return values.aggregateId;
  }

  /** May be null. */
  public String tenantId() {
    return values.tenantId;
  }

  /** Unmodifiable, in the order they were set; never null. */
  public Map<String, String> headers() {
    return values.headers;
  }

  /** The payload exactly as it was written; null if it is bytes. */
  public String payloadJson() {
    return values.payloadJson;
  }

  /** A copy of the payload; null if it is JSON. */
  public byte[] payloadBytes() {
    return values.payloadBytes == null ? null : values.payloadBytes.clone();
  }

  /** {@code application/json}, or the content type of the bytes. */
  public String contentType() {
    return values.contentType;
  }

  /** When to deliver it; null means at once. */
  public Instant availableAt() {
    return values.availableAt;
  }

  /** The ordering key; null if none was set. */
  public String orderingKey() {
    return values.orderingKey;
  }

  /** The key for a broker's partitions; null if none was set. */
  public String partitionKey() {
    return values.partitionKey;
  }

  /**
   * The message key, which chooses a broker's partition: the partition key, else the ordering key,
   * else the aggregate id; null if none is set.
   */
  public String partitionKeyOrDefault() {
    if (values.partitionKey != null) {
      return values.partitionKey;
    }
    return values.orderingKey != null ? values.orderingKey : values.aggregateId;
  }

  /** Whether delivery is to wait beyond {@link #occurredAt()}. */
  public boolean isDelayed() {
    return values.availableAt != null && values.availableAt.isAfter(values.occurredAt);
  }

  /** The size of the payload in bytes; an estimate if it was read from the database. */
  public long payloadSize() {
    return values.payloadSize;
  }

  /**
   * The JSON payload as an object, by the default {@link JsonCodec}.
   *
   * @throws PayloadParseException if the payload does not match the class, or is not JSON
   */
  public <T> T payload(Class<T> type) {
    Objects.requireNonNull(type, "type");
    if (values.payloadJson == null) {
      throw new PayloadParseException(
          "the payload of event " + eventId() + " is bytes (" + contentType() + "), not JSON");
    }
    JsonCodec codec = JsonCodec.getDefault();
    try {
      return codec.fromJson(values.payloadJson, type);
    } catch (PayloadParseException e) {
      throw e;
    } catch (RuntimeException e) {
      throw new PayloadParseException(
          "the payload of event " + eventId() + " cannot be read as " + type.getName(), e);
    }
  }

  /**
   * A copy of this event, with the same id and other headers.
   *
   * @param values all headers of the copy
   * @throws IllegalArgumentException if they are too large or cannot be stored
   */
  public EventEnvelope withHeaders(Map<String, String> values) {
    Builder copy = this.values.copy();
    copy.headers = new LinkedHashMap<>();
    copy.headers(values);
    EnvelopeChecks.headers(copy.headers);
    copy.headers = Collections.unmodifiableMap(copy.headers);
    return new EventEnvelope(copy);
  }

  /**
   * A copy of this event under another id, for another listener: everything else stays, as it was
   * read or built. The values are not checked against the table.
   *
   * @param otherKey the ordering key of the copy; null for none
   */
  public EventEnvelope withAddress(String otherId, String otherAggregateType, String otherKey) {
    Builder copy = values.copy();
    copy.eventId = Objects.requireNonNull(otherId, "eventId");
    copy.aggregateType = Objects.requireNonNull(otherAggregateType, "aggregateType");
    copy.orderingKey = otherKey;
    return new EventEnvelope(copy);
  }

  @Override
  public String toString() {
    return "EventEnvelope[" + eventId() + ", " + aggregateType() + "/" + eventType() + "]";
  }

  /** Builds an envelope. Refuses every invalid value, before anything is written. */
  public static final class Builder implements Cloneable {
    private final String eventType;
    private Map<String, String> headers = new LinkedHashMap<>();
    private String eventId;
    private Instant occurredAt;
    private String aggregateType = AggregateType.GLOBAL.name();
    private String aggregateId;
    private String tenantId;
    private String payloadJson;
    private byte[] payloadBytes;
    private String contentType;
    private Instant availableAt;
    private Duration deliverAfter;
    private String orderingKey;
    private String partitionKey;
    private long payloadSize;

    private Builder(String eventType) {
      this.eventType = Objects.requireNonNull(eventType, "eventType");
    }

    /** Unique for all time; default: a ULID. */
    public Builder eventId(String value) {
      this.eventId = Objects.requireNonNull(value, "eventId");
      return this;
    }

    /** Default: now. */
    public Builder occurredAt(Instant value) {
      this.occurredAt = Objects.requireNonNull(value, "occurredAt");
      return this;
    }

    public Builder aggregateType(String value) {
      this.aggregateType = Objects.requireNonNull(value, "aggregateType");
      return this;
    }

    public Builder aggregateType(AggregateType value) {
      return aggregateType(Objects.requireNonNull(value, "aggregateType").name());
    }

    public Builder aggregateId(String value) {
      this.aggregateId = value;
      return this;
    }

    public Builder tenantId(String value) {
      this.tenantId = value;
      return this;
    }

    /** Replaces all headers. */
    public Builder headers(Map<String, String> values) {
      Objects.requireNonNull(values, "headers");
      this.headers.clear();
      values.forEach(this::header);
      return this;
    }

    /** Adds a header. */
    public Builder header(String key, String value) {
      Objects.requireNonNull(key, "a header key is null");
      Objects.requireNonNull(value, () -> "the value of header '" + key + "' is null");
      this.headers.put(key, value);
      return this;
    }

    /** The payload as JSON text, delivered unchanged. */
    public Builder payloadJson(String value) {
      this.payloadJson = value;
      return this;
    }

    /** The payload as an object, written as JSON now by the default {@link JsonCodec}. */
    public Builder payload(Object value) {
      Objects.requireNonNull(value, "payload");
      return payloadJson(JsonCodec.getDefault().toJson(value));
    }

    /** The payload as bytes, for example Avro or Protobuf. */
    public Builder payloadBytes(byte[] value, String contentType) {
      this.payloadBytes = Objects.requireNonNull(value, "payloadBytes").clone();
      this.contentType = Objects.requireNonNull(contentType, "contentType");
      return this;
    }

    /** Deliver not before this instant. Cannot be combined with {@link #deliverAfter}. */
    public Builder availableAt(Instant value) {
      this.availableAt = Objects.requireNonNull(value, "availableAt");
      return this;
    }

    /** Deliver this long after {@code occurredAt}. Cannot be combined with {@link #availableAt}. */
    public Builder deliverAfter(Duration value) {
      Objects.requireNonNull(value, "deliverAfter");
      if (value.isZero() || value.isNegative()) {
        throw new IllegalArgumentException("deliverAfter must be positive: " + value);
      }
      this.deliverAfter = value;
      return this;
    }

    /** Events of one ordering key keep their order, in a mode that keeps order by key. */
    public Builder orderingKey(String value) {
      this.orderingKey = value;
      return this;
    }

    /** Chooses a broker's partition; default: the key that orders the event. */
    public Builder partitionKey(String value) {
      this.partitionKey = value;
      return this;
    }

    /**
     * Builds the envelope.
     *
     * @throws IllegalArgumentException if a value is missing, too long, or contradicts another
     */
    public EventEnvelope build() {
      Builder made = copy();
      checkColumns();
      made.payloadSize = EnvelopeChecks.payload(payloadJson, payloadBytes);
      made.contentType = payloadJson == null ? contentType : JSON_CONTENT_TYPE;
      made.occurredAt =
          EnvelopeChecks.time("occurredAt", occurredAt == null ? Instant.now() : occurredAt);
      made.eventId = eventId == null ? Ulid.next() : eventId;
      made.availableAt = EnvelopeChecks.available(made.occurredAt, availableAt, deliverAfter);
      made.deliverAfter = null;
      made.headers = Collections.unmodifiableMap(new LinkedHashMap<>(headers));
      return new EventEnvelope(made);
    }

    /** Has the same headers, not a copy of them. */
    private Builder copy() {
      try {
        return (Builder) clone();
      } catch (CloneNotSupportedException e) {
        throw new IllegalStateException(e);
      }
    }

    private void checkColumns() {
      EnvelopeChecks.required("eventType", eventType, 128);
      EnvelopeChecks.required("aggregateType", aggregateType, 64);
      if (eventId != null) {
        EnvelopeChecks.required("eventId", eventId, 36);
      }
      TextChecks.column("aggregateId", aggregateId, 128);
      TextChecks.column("tenantId", tenantId, 64);
      TextChecks.column("orderingKey", orderingKey, 255);
      TextChecks.column("partitionKey", partitionKey, 255);
      if (payloadBytes != null) {
        EnvelopeChecks.required("contentType", contentType, 128);
      }
      EnvelopeChecks.headers(headers);
    }
  }
}
