package io.outbox.fakes;

import io.outbox.EventEnvelope;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Events and rows with as little to say as possible. */
public final class Events {

  public static final String TYPE = "Tested";
  public static final Instant CREATED = Instant.parse("2025-01-01T00:00:00Z");

  private Events() {}

  public static EventEnvelope event(String id) {
    return event(id, TYPE);
  }

  public static EventEnvelope event(String id, String type) {
    return EventEnvelope.builder(type).eventId(id).occurredAt(CREATED).payloadJson("{}").build();
  }

  public static EventEnvelope eventOfSize(String id, int payloadBytes) {
    return EventEnvelope.builder(TYPE)
        .eventId(id)
        .occurredAt(CREATED)
        .payloadBytes(new byte[payloadBytes], "application/octet-stream")
        .build();
  }

  /** {@code prefix0}, {@code prefix1}, … */
  public static Stream<EventEnvelope> events(String prefix, int count) {
    return IntStream.range(0, count).mapToObj(i -> event(prefix + i));
  }

  public static OutboxEvent row(String id) {
    return rowBuilder(id).build();
  }

  public static OutboxEvent row(String id, Lease lease) {
    return rowBuilder(id).lease(lease).build();
  }

  public static OutboxEvent.Builder rowBuilder(String id) {
    return OutboxEvent.builder(id, TYPE)
        .payloadJson("{}")
        .createdAt(CREATED)
        .availableAt(CREATED)
        .leaseNumber(0);
  }
}
