package io.outbox.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.AggregateType;
import io.outbox.DefaultOutboxWriter;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventType;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.inbox.InboxSchema;
import io.outbox.inbox.OnceWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Envelopes, and what is refused. */
class WritingTest extends DocsDatabase {

  // snippet: event-types
  enum OrderEvents implements EventType {
    ORDER_PLACED,
    ORDER_SHIPPED
  }

  enum Aggregates implements AggregateType {
    ORDER,
    CUSTOMER
  }

  // end

  // snippet: payload-object
  record OrderPlaced(String orderId, int cents) {}

  // end

  @Test
  void anEnvelopeHasManyFields() {
    // snippet: envelope
    EventEnvelope event =
        EventEnvelope.builder(OrderEvents.ORDER_PLACED)
            .aggregateType(Aggregates.ORDER)
            .aggregateId("A-17")
            .tenantId("acme")
            .header("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .payloadJson("{\"orderId\": \"A-17\", \"cents\": 1999}")
            .build();
    // end

    listeners.register(Aggregates.ORDER, OrderEvents.ORDER_PLACED, listener);
    EventEnvelope delivered = deliver(event);
    assertThat(delivered.eventId()).isEqualTo(event.eventId());
    assertThat(delivered.aggregateType()).isEqualTo("ORDER");
    assertThat(delivered.headers()).isEqualTo(event.headers()).containsKey("traceparent");
    assertThat(delivered.tenantId()).isEqualTo("acme");
  }

  @Test
  void anEventIsWrittenOncePerKey() {
    EventEnvelope event = EventEnvelope.ofJson("PaymentTaken", "{}");
    OutboxWriter writer = new DefaultOutboxWriter(txContext, store);

    // snippet: write-once
    InboxSchema.create(dataSource, OnceWriter.DEFAULT_TABLE); // or run the DDL by migration
    OnceWriter once = new OnceWriter(writer, txContext);

    Optional<String> eventId = transactions.call(tx -> once.writeIfAbsent("payment-4711", event));
    // end

    assertThat(eventId).contains(event.eventId());
    assertThat(
            transactions.<Optional<String>, RuntimeException>call(
                tx ->
                    once.writeIfAbsent("payment-4711", EventEnvelope.ofJson("PaymentTaken", "{}"))))
        .isEmpty();
  }

  @Test
  void aPayloadCanBeAnObject() {
    List<Integer> amounts = Collections.synchronizedList(new ArrayList<>());

    // snippet: payload-object
    listeners.register(
        "OrderPlaced",
        event -> {
          OrderPlaced order = event.payload(OrderPlaced.class);
          amounts.add(order.cents());
          return DispatchResult.done();
        });

    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced").payload(new OrderPlaced("A-17", 1999)).build();
    // end

    try (Outbox outbox = singleNode().build()) {
      transactions.run(tx -> outbox.writer().write(event));
    }
    assertThat(amounts).containsExactly(1999);
  }

  @Test
  void invalidJsonIsRefused() throws Exception {
    // snippet: invalid-json
    assertThatThrownBy(() -> EventEnvelope.ofJson("OrderPlaced", "{orderId: 17}"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("the payload is not valid JSON: unexpected character at index 1");
    // end
  }

  @Test
  void aPayloadCanBeBytes() {
    byte[] avro = "not really Avro".getBytes(StandardCharsets.UTF_8);

    // snippet: bytes
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced").payloadBytes(avro, "application/avro").build();
    // end

    listeners.register("OrderPlaced", listener);
    EventEnvelope delivered = deliver(event);
    assertThat(delivered.payloadBytes()).isEqualTo(avro);
    assertThat(delivered.contentType()).isEqualTo("application/avro");
    assertThat(delivered.payloadJson()).isNull();
  }

  @Test
  void anEventCanBeDelayed() {
    // snippet: delayed
    EventEnvelope tomorrow =
        EventEnvelope.builder("ReviewReminder")
            .payloadJson("{\"orderId\": \"A-17\"}")
            .deliverAfter(Duration.ofDays(1))
            .build();
    EventEnvelope atNewYear =
        EventEnvelope.builder("NewYearGreeting")
            .payloadJson("{}")
            .availableAt(Instant.parse("2100-01-01T00:00:00Z"))
            .build();
    // end

    listeners.registerDefault(listener);
    try (Outbox outbox = singleNode().build()) {
      transactions.run(tx -> outbox.writer().writeAll(List.of(tomorrow, atNewYear)));
    }
    assertThat(listener.count()).isZero();
    assertThat(tomorrow.isDelayed()).isTrue();
  }

  @Test
  void manyEventsAreOneStatement() throws Exception {
    List<String> orderIds = List.of("A-1", "A-2", "A-3");
    try (Outbox outbox = singleNode().build()) {
      OutboxWriter writer = outbox.writer();
      listeners.register("OrderPlaced", listener);

      // snippet: write-all
      List<EventEnvelope> events =
          orderIds.stream()
              .map(
                  id ->
                      EventEnvelope.builder("OrderPlaced")
                          .aggregateId(id)
                          .payloadJson("{}")
                          .build())
              .toList();
      List<String> eventIds = transactions.call(tx -> writer.writeAll(events));
      // end

      listener.awaitCount(3, SOON);
      assertThat(listener.deliveredIds()).containsExactlyInAnyOrderElementsOf(eventIds);
    }
  }

  @Test
  void everyLimitOfTheTableIsEnforced() {
    assertRefused(EventEnvelope.builder("t".repeat(129)).payloadJson("{}"));
    assertRefused(event().aggregateType("a".repeat(65)));
    assertRefused(event().aggregateId("a".repeat(129)));
    assertRefused(event().tenantId("a".repeat(65)));
    assertRefused(event().eventId("a".repeat(37)));
    assertRefused(event().orderingKey("a".repeat(256)));
    assertRefused(event().partitionKey("a".repeat(256)));
    assertRefused(event().payloadJson("\"" + "x".repeat(EventEnvelope.MAX_PAYLOAD_BYTES) + "\""));
    assertRefused(event().deliverAfter(Duration.ofDays(1)).availableAt(Instant.MAX));
    assertRefused(event().payloadBytes(new byte[0], "text/plain"));
    assertThat(
            Stream.of(event().build(), event().payloadJson(" [1, 2] ").build())
                .map(EventEnvelope::payloadJson))
        .containsExactly("{}", " [1, 2] ");
  }

  private static EventEnvelope.Builder event() {
    return EventEnvelope.builder("Limited").payloadJson("{}");
  }

  private static void assertRefused(EventEnvelope.Builder builder) {
    assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
  }

  private EventEnvelope deliver(EventEnvelope event) {
    try (Outbox outbox = singleNode().build()) {
      transactions.run(tx -> outbox.writer().write(event));
      listener.awaitCount(1, SOON);
    }
    return listener.deliveries().get(0).event();
  }
}
