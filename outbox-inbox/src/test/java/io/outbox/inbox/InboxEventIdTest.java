package io.outbox.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.publish.MessageFormat;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.NoSuchElementException;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class InboxEventIdTest {

  private static final EventEnvelope EVENT = EventEnvelope.ofJson("OrderPlaced", "{}");

  @Test
  void itIsFoundInThePlainHeadersOfAPublisher() {
    Map<String, String> headers = MessageFormat.plain().headers(EVENT, "ce_");
    assertThat(InboxEventId.of(headers::get)).isEqualTo(EVENT.eventId());
    assertThat(KafkaEventId.of(record(headers))).isEqualTo(EVENT.eventId());
  }

  @Test
  void itIsFoundInThoseOfACloudEvent() {
    for (String prefix : new String[] {"ce_", "ce-", "cloudEvents:", "cloudEvents_"}) {
      Map<String, String> headers =
          MessageFormat.cloudEvents(URI.create("/shop")).headers(EVENT, prefix);
      assertThat(InboxEventId.of(headers::get)).isEqualTo(EVENT.eventId());
      assertThat(KafkaEventId.of(record(headers))).isEqualTo(EVENT.eventId());
    }
  }

  @Test
  void itIsFoundInThoseOfDebezium() {
    assertThat(KafkaEventId.of(record(Map.of("id", "e-1")))).isEqualTo("e-1");
  }

  @Test
  void aMessageWithoutOneIsRefused() {
    assertThat(InboxEventId.find(name -> "")).isEmpty();
    assertThatThrownBy(() -> InboxEventId.of(name -> null))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessageContaining("none of the headers [outbox-event-id, ");
    ConsumerRecord<String, byte[]> record = record(Map.of());
    record.headers().add("id", null);
    assertThatThrownBy(() -> KafkaEventId.of(record))
        .isInstanceOf(NoSuchElementException.class)
        .hasMessage("the record at offset 7 of orders-3 has no header with an event id");
  }

  private static ConsumerRecord<String, byte[]> record(Map<String, String> headers) {
    ConsumerRecord<String, byte[]> record = new ConsumerRecord<>("orders", 3, 7, null, null);
    headers.forEach(
        (name, value) -> record.headers().add(name, value.getBytes(StandardCharsets.UTF_8)));
    return record;
  }
}
