package io.outbox.sqs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.publish.MessageFormat;
import io.outbox.spi.JsonCodec;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MessagesTest {

  private final Messages plain = new Messages(MessageFormat.plain());

  private static EventEnvelope.Builder event() {
    return EventEnvelope.builder("OrderPlaced").payloadJson("{\"a\":1}");
  }

  @Test
  void headersThatFitAreAttributes() {
    Message message = plain.of(event().header("own", "ä 1").build(), false);
    assertThat(message.attributes())
        .containsEntry("own", "ä 1")
        .containsEntry("outbox-event-type", "OrderPlaced")
        .containsEntry("content-type", "application/json")
        .doesNotContainKeys("outbox-headers", "outbox-encoding");
    assertThat(message.body()).isEqualTo("{\"a\":1}");
    assertThat(message.group()).isNull();
    assertThat(message.deduplication()).isNull();
  }

  @Test
  void ifOneDoesNotFitAllOwnHeadersGoIntoOneAttribute() {
    EventEnvelope.Builder event = event();
    for (int i = 0; i < 7; i++) {
      event.header("own" + i, "v" + i);
    }
    Map<String, String> attributes = plain.of(event.build(), false).attributes();
    assertThat(attributes).hasSizeLessThanOrEqualTo(10).doesNotContainKey("own0");
    assertThat(JsonCodec.getDefault().parseStringMap(attributes.get("outbox-headers")))
        .hasSize(7)
        .containsEntry("own0", "v0")
        .containsEntry("own6", "v6");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"two words", "ü", "AWS.x", "amazon.x", ".x", "x.", "a..b", "outbox-headers"})
  void aNameThatSqsDoesNotTakeGoesIntoThatAttribute(String name) {
    Map<String, String> attributes =
        plain.of(event().header(name, "v").build(), false).attributes();
    assertThat(JsonCodec.getDefault().parseStringMap(attributes.get("outbox-headers")))
        .isEqualTo(Map.of(name, "v"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "bell \u0007"})
  void aValueThatSqsDoesNotTakeGoesIntoThatAttribute(String value) {
    Map<String, String> attributes =
        plain.of(event().header("own", value).build(), false).attributes();
    assertThat(JsonCodec.getDefault().parseStringMap(attributes.get("outbox-headers")))
        .isEqualTo(Map.of("own", value));
  }

  @Test
  void aCloudEventWithEverythingLosesNothing() {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced")
            .aggregateType("Order")
            .aggregateId("1")
            .tenantId("t")
            .header("own", "v")
            .payloadBytes(new byte[] {1}, "application/avro")
            .build();
    MessageFormat format = MessageFormat.cloudEvents(URI.create("/orders"));
    Map<String, String> attributes = new Messages(format).of(event, false).attributes();
    assertThat(attributes).hasSize(10).containsEntry("outbox-encoding", "base64");
    assertThat(attributes).containsEntry("ce-id", event.eventId());
    assertThat(JsonCodec.getDefault().parseStringMap(attributes.get("outbox-headers")))
        .containsEntry("own", "v")
        .containsEntry("content-type", "application/avro");
  }

  @Test
  void bytesAreBase64AndNoBytesAreMarked() {
    Message some =
        plain.of(EventEnvelope.builder("T").payloadBytes(new byte[] {-1, 0}, "a/b").build(), false);
    assertThat(some.body()).isEqualTo("/wA=");
    assertThat(some.attributes()).containsEntry("outbox-encoding", "base64");
    Message none =
        plain.of(EventEnvelope.builder("T").payloadBytes(new byte[0], "a/b").build(), false);
    assertThat(none.body()).isEqualTo("-");
    assertThat(none.attributes()).containsEntry("outbox-encoding", "empty");
  }

  @Test
  void nobodyElseSaysHowTheBodyIsEncoded() {
    Message message = plain.of(event().header("outbox-encoding", "base64").build(), false);
    assertThat(message.attributes()).doesNotContainKey("outbox-encoding");
  }

  @Test
  void aCharacterThatSqsDoesNotTakeIsRejectedForGood() {
    EventEnvelope event =
        EventEnvelope.builder("OrderPlaced").payloadJson("{\"a\":\"\uffff\"}").build();
    assertThatThrownBy(() -> plain.of(event, false))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining("the body");
  }

  @Test
  void inAFifoQueueTheIdDeduplicatesAndTheKeyIsTheGroup() {
    EventEnvelope keyed = event().partitionKey("order-1").build();
    assertThat(plain.of(keyed, true))
        .returns("order-1", Message::group)
        .returns(keyed.eventId(), Message::deduplication);
    EventEnvelope unkeyed = event().build();
    assertThat(plain.of(unkeyed, true)).returns(unkeyed.eventId(), Message::group);
    EventEnvelope foreign = event().partitionKey("ключ").build();
    assertThat(plain.of(foreign, true).group())
        .matches("[0-9a-f]{64}")
        .isEqualTo(plain.of(event().partitionKey("ключ").build(), true).group());
  }

  @Test
  void sizesCountEverything() {
    Message message = Message.of("aä", Map.of("n", "ö"), null, null);
    assertThat(message.bytes()).isEqualTo(3 + 1 + 6 + 2);
  }
}
