package io.outbox.publish;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * How an event becomes a message: the unchanged payload is the body, everything else is in headers,
 * with plain names or the names of CloudEvents 1.0 (binary mode). The event's own headers keep
 * their names; the outbox's header replaces one of the same name.
 */
public final class MessageFormat {

  /** The header of {@link EventEnvelope#contentType()}, in either format. */
  public static final String CONTENT_TYPE = "content-type";

  private static final MessageFormat PLAIN = new MessageFormat(null);

  private final String source; // null: plain headers

  private MessageFormat(String source) {
    this.source = source;
  }

  /**
   * Headers named {@code outbox-event-id}, {@code outbox-event-type}, {@code
   * outbox-aggregate-type}, {@code outbox-aggregate-id}, {@code outbox-tenant-id}, {@code
   * outbox-occurred-at} and {@code content-type}.
   */
  public static MessageFormat plain() {
    return PLAIN;
  }

  /**
   * The attributes of CloudEvents 1.0 as headers, each with the prefix of its protocol.
   *
   * @param source the attribute {@code source} of all events: what service they come from
   */
  public static MessageFormat cloudEvents(URI source) {
    String text = Objects.requireNonNull(source, "source").toString();
    if (text.isBlank()) {
      throw new IllegalArgumentException("the source of CloudEvents must not be empty");
    }
    return new MessageFormat(text);
  }

  public boolean isCloudEvents() {
    return source != null;
  }

  /**
   * All headers of a message, in an order that does not change.
   *
   * @param prefix of the attributes of a CloudEvent in this protocol, for example {@code ce_}
   */
  public Map<String, String> headers(EventEnvelope event, String prefix) {
    Objects.requireNonNull(event, "event");
    Objects.requireNonNull(prefix, "prefix");
    Map<String, String> headers = new LinkedHashMap<>(event.headers());
    if (source == null) {
      addPlain(headers, event);
    } else {
      addCloudEvent(headers, event, prefix);
    }
    put(headers, CONTENT_TYPE, event.contentType());
    return headers;
  }

  private static void addPlain(Map<String, String> headers, EventEnvelope event) {
    put(headers, "outbox-event-id", event.eventId());
    put(headers, "outbox-event-type", event.eventType());
    put(headers, "outbox-aggregate-type", aggregateType(event));
    put(headers, "outbox-aggregate-id", event.aggregateId());
    put(headers, "outbox-tenant-id", event.tenantId());
    put(headers, "outbox-occurred-at", occurredAt(event));
  }

  private void addCloudEvent(Map<String, String> headers, EventEnvelope event, String prefix) {
    put(headers, prefix + "specversion", "1.0");
    put(headers, prefix + "id", event.eventId());
    put(headers, prefix + "source", source);
    put(headers, prefix + "type", event.eventType());
    put(headers, prefix + "subject", event.aggregateId());
    put(headers, prefix + "time", occurredAt(event));
    put(headers, prefix + "partitionkey", event.partitionKeyOrDefault());
    put(headers, prefix + "aggregatetype", aggregateType(event));
    put(headers, prefix + "tenantid", event.tenantId());
  }

  /** What an event has no value for, it has no header for. */
  private static void put(Map<String, String> headers, String name, String value) {
    headers.remove(name);
    if (value != null) {
      headers.put(name, value);
    }
  }

  private static String aggregateType(EventEnvelope event) {
    return AggregateType.GLOBAL.name().equals(event.aggregateType()) ? null : event.aggregateType();
  }

  private static String occurredAt(EventEnvelope event) {
    return DateTimeFormatter.ISO_INSTANT.format(event.occurredAt());
  }

  /** The body: the payload exactly as stored. */
  public static byte[] body(EventEnvelope event) {
    return event.payloadJson() == null
        ? event.payloadBytes()
        : event.payloadJson().getBytes(StandardCharsets.UTF_8);
  }
}
