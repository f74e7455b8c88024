package io.outbox.internal.subscribe;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.OutboxEvent;
import io.outbox.subscription.Subscription;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopiesTest {

  private static final int MAX_ID = 36;
  private static final int MAX_KEY = 255;

  private static EventEnvelope event(int idLength, int keyLength, String aggregateType) {
    EventEnvelope.Builder event =
        EventEnvelope.builder("Placed")
            .eventId("i".repeat(idLength))
            .orderingKey(keyLength == 0 ? null : "k".repeat(keyLength))
            .partitionKey("p")
            .aggregateId("17")
            .tenantId("t")
            .occurredAt(Instant.parse("2026-01-01T00:00:00Z"))
            .deliverAfter(Duration.ofHours(1))
            .header("a", "1")
            .payloadJson("{}");
    return aggregateType.isEmpty() ? event.build() : event.aggregateType(aggregateType).build();
  }

  @ParameterizedTest
  @CsvSource({"1, 0, Order", "26, 10, Order", "27, 255, Order", "36, 251, ''", "36, 0, a@@b"})
  void aCopyFitsAndTellsItsEvent(int idLength, int keyLength, String aggregateType) {
    EventEnvelope event = event(idLength, keyLength, aggregateType);
    EventEnvelope copy = Copies.of(event, "mail");

    assertThat(copy.eventId()).hasSizeLessThanOrEqualTo(MAX_ID).isNotEqualTo(event.eventId());
    assertThat(copy.aggregateType()).isEqualTo(aggregateType + "@@mail");
    assertThat(copy.orderingKey()).isNotEqualTo(keyLength == 0 ? "" : event.orderingKey());
    if (keyLength > 0) {
      assertThat(copy.orderingKey()).endsWith("@@mail").hasSizeLessThanOrEqualTo(MAX_KEY);
    }
    assertThat(Copies.originalOf(copy)).usingRecursiveComparison().isEqualTo(event);
    assertThat(Subscription.nameOf(copy)).contains("mail");
  }

  private static OutboxEvent row(String aggregateType, String headers) {
    return OutboxEvent.builder(Copies.idOf("e1", "mail"), "Placed")
        .aggregate(aggregateType, "17")
        .headersJson(headers)
        .createdAt(Instant.EPOCH)
        .availableAt(Instant.EPOCH)
        .build();
  }

  @Test
  void aRowTellsTheIdOfItsEvent() {
    String longId = "i".repeat(36);
    String header = "{\"outbox-copy-of-id\": \"" + longId + "\"}";

    assertThat(Subscription.originalIdOf(row("Order@@mail", null))).contains("e1");
    assertThat(Subscription.originalIdOf(row("Order@@mail", header))).contains(longId);
    assertThat(Subscription.originalIdOf(row("Order@@mail", "outbox-copy-of-id"))).isEmpty();
    assertThat(Subscription.originalIdOf(row("Order", null))).isEmpty();
    assertThat(Copies.idOf(longId, "mail"))
        .isEqualTo(Copies.of(event(36, 0, "Order"), "mail").eventId());
  }

  @Test
  void whatFitsNeedsNoHeaders() {
    assertThat(Copies.of(event(26, 10, "Order"), "mail").headers()).isEqualTo(Map.of("a", "1"));
  }

  @Test
  void theIdIsTheSameEachTimeAndDiffersBySubscription() {
    EventEnvelope event = event(36, 0, "Order");
    String id = Copies.of(event, "mail").eventId();

    assertThat(id)
        .isEqualTo(Copies.of(event, "mail").eventId())
        .isNotEqualTo(Copies.of(event, "kafka").eventId())
        .isNotEqualTo(Copies.of(event(35, 0, "Order"), "mail").eventId());
    assertThat(Copies.of(event(5, 0, "Order"), "mail").eventId()).startsWith("iiiii~");
  }

  /** It is in tables: another one would write copies a second time. */
  @Test
  void theIdNeverChanges() {
    assertThat(Hash.of("send-mail", 9)).isEqualTo("8BD3ETRAD");
  }

  @ParameterizedTest
  @CsvSource({
    "Order@@mail, true",
    "@@mail, true",
    "a@@b@@mail, true",
    "Order, false",
    "Order@@, false",
    "Order@@-mail, false",
    "Order@@two words, false",
    "Order@@mail@, false"
  })
  void aTypeOfCopiesEndsInAName(String type, boolean isOne) {
    Copies.idOf("e1", "two words");
    assertThat(Copies.isType(type)).isEqualTo(isOne);
  }

  @Test
  void whatIsNoCopyStaysAsItIs() {
    EventEnvelope event = event(26, 10, "Order");
    EventEnvelope alike = event(26, 10, "Order@@mail");

    assertThat(Copies.originalOf(event)).isSameAs(event);
    assertThat(Copies.originalOf(alike)).isSameAs(alike);
    assertThat(Subscription.nameOf(alike)).isEmpty();
  }
}
