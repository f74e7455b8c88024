package io.outbox.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MessageFormatTest {

  private static final MessageFormat CLOUD_EVENTS =
      MessageFormat.cloudEvents(URI.create("/orders-service"));

  private static EventEnvelope.Builder event() {
    return EventEnvelope.builder("OrderPlaced")
        .eventId("e-1")
        .occurredAt(Instant.parse("2025-01-02T03:04:05.678901Z"))
        .payloadJson("{ \"ä\" : 1 }");
  }

  private static EventEnvelope full() {
    return event()
        .aggregateType("Order")
        .aggregateId("o-1")
        .tenantId("acme")
        .header("own", "v")
        .build();
  }

  @Test
  void plainHeadersAreAllThatTheEventHas() {
    assertThat(MessageFormat.plain().headers(full(), "ce_"))
        .isEqualTo(
            Map.of(
                "own", "v",
                "outbox-event-id", "e-1",
                "outbox-event-type", "OrderPlaced",
                "outbox-aggregate-type", "Order",
                "outbox-aggregate-id", "o-1",
                "outbox-tenant-id", "acme",
                "outbox-occurred-at", "2025-01-02T03:04:05.678901Z",
                "content-type", "application/json"));
  }

  @Test
  void aCloudEventHasItsAttributesWithThePrefix() {
    assertThat(CLOUD_EVENTS.headers(full(), "ce_"))
        .containsExactlyInAnyOrderEntriesOf(
            Map.ofEntries(
                Map.entry("own", "v"),
                Map.entry("ce_specversion", "1.0"),
                Map.entry("ce_id", "e-1"),
                Map.entry("ce_source", "/orders-service"),
                Map.entry("ce_type", "OrderPlaced"),
                Map.entry("ce_subject", "o-1"),
                Map.entry("ce_time", "2025-01-02T03:04:05.678901Z"),
                Map.entry("ce_partitionkey", "o-1"),
                Map.entry("ce_aggregatetype", "Order"),
                Map.entry("ce_tenantid", "acme"),
                Map.entry("content-type", "application/json")));
    assertThat(CLOUD_EVENTS.isCloudEvents()).isTrue();
    assertThat(MessageFormat.plain().isCloudEvents()).isFalse();
  }

  @Test
  void whatTheEventDoesNotHaveIsNoHeaderEvenIfOneOfItsOwnSaysSo() {
    EventEnvelope event = event().header("outbox-tenant-id", "forged").build();
    assertThat(MessageFormat.plain().headers(event, ""))
        .containsOnlyKeys(
            "outbox-event-id", "outbox-event-type", "outbox-occurred-at", "content-type");
  }

  @Test
  void theBodyIsThePayloadToTheByte() {
    assertThat(MessageFormat.body(full()))
        .isEqualTo("{ \"ä\" : 1 }".getBytes(StandardCharsets.UTF_8));
    EventEnvelope bytes =
        EventEnvelope.builder("T").payloadBytes(new byte[] {0, -1}, "a/b").build();
    assertThat(MessageFormat.body(bytes)).containsExactly(0, -1);
  }

  @Test
  void cloudEventsNeedASource() {
    assertThatThrownBy(() -> MessageFormat.cloudEvents(URI.create("")))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
