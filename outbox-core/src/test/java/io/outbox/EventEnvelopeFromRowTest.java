package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.JsonCodec;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventEnvelopeFromRowTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00.123456Z");

  @AfterEach
  void forgetCodec() {
    JsonCodec.setDefault(null);
  }

  private static OutboxEvent.Builder row() {
    return OutboxEvent.builder("id-1", "OrderPlaced")
        .payloadJson("{}")
        .createdAt(AT)
        .availableAt(AT);
  }

  @Test
  void everyColumnArrives() {
    JsonCodec.setDefault(new StubJsonCodec(json -> Map.of("read from", json)));
    EventEnvelope event =
        EventEnvelope.fromRow(
            row()
                .aggregate("Order", "7")
                .tenantId("tenant")
                .orderingKey("o")
                .partitionKey("p")
                .payloadJson(" {\"a\" : 1}")
                .headersJson("the headers")
                .build());

    assertThat(event.eventId()).isEqualTo("id-1");
    assertThat(event.eventType()).isEqualTo("OrderPlaced");
    assertThat(event.occurredAt()).isEqualTo(AT);
    assertThat(event.aggregateType()).isEqualTo("Order");
    assertThat(event.aggregateId()).isEqualTo("7");
    assertThat(event.tenantId()).isEqualTo("tenant");
    assertThat(event.orderingKey()).isEqualTo("o");
    assertThat(event.partitionKey()).isEqualTo("p");
    assertThat(event.payloadJson()).isEqualTo(" {\"a\" : 1}");
    assertThat(event.contentType()).isEqualTo("application/json");
    assertThat(event.headers()).containsExactly(Map.entry("read from", "the headers"));
    assertThat(event.isDelayed()).isFalse();
  }

  @Test
  void R8_bytesArrive() {
    EventEnvelope event =
        EventEnvelope.fromRow(
            row().payloadJson(null).payloadBytes(new byte[] {0, -1}, "a/b").build());

    assertThat(event.payloadJson()).isNull();
    assertThat(event.payloadBytes()).containsExactly(0, -1);
    assertThat(event.contentType()).isEqualTo("a/b");
    assertThat(event.payloadSize()).isEqualTo(2);
  }

  @Test
  void aRowIsNotJudgedAgain() {
    EventEnvelope event =
        EventEnvelope.fromRow(
            OutboxEvent.builder("x".repeat(99), " ")
                .aggregate("", "y".repeat(999))
                .payloadJson("no JSON")
                .createdAt(AT)
                .availableAt(AT.minusSeconds(9))
                .build());

    assertThat(event.eventType()).isEqualTo(" ");
    assertThat(event.aggregateId()).hasSize(999);
    assertThat(event.payloadJson()).isEqualTo("no JSON");
  }

  @Test
  void aRowInsertedByPlainSqlWillDo() {
    EventEnvelope event =
        EventEnvelope.fromRow(
            OutboxEvent.builder("1", "T").payloadJson("{}").createdAt(AT).build());

    assertThat(event.aggregateType()).isEqualTo("__GLOBAL__");
    assertThat(event.availableAt()).isNull();
    assertThat(event.headers()).isEmpty();
  }

  @Test
  void noCodecIsNeededWithoutHeaders() {
    assertThat(EventEnvelope.fromRow(row().headersJson(null).build()).headers()).isEmpty();
    assertThat(EventEnvelope.fromRow(row().headersJson(" ").build()).headers()).isEmpty();
  }

  @Test
  void malformedHeadersAreAParseFailureThatNamesTheEvent() {
    PayloadParseException cause = new PayloadParseException("no object");
    JsonCodec.setDefault(
        new StubJsonCodec(
            json -> {
              throw cause;
            }));

    assertThatThrownBy(() -> EventEnvelope.fromRow(row().headersJson("[]").build()))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("id-1")
        .hasCause(cause);
  }

  @Test
  void headersThatAreNotAllStringsAreMalformed() {
    JsonCodec.setDefault(new StubJsonCodec(json -> Map.of("n", 1)));

    assertThatThrownBy(() -> EventEnvelope.fromRow(row().headersJson("{\"n\":1}").build()))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("id-1");
  }

  @Test
  void aRowWithoutPayloadIsAParseFailure() {
    assertThatThrownBy(() -> EventEnvelope.fromRow(row().payloadJson(null).build()))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("id-1");
  }

  @Test
  void theDelayThatWasAskedForIsKnownUntilTheFirstFailure() {
    Instant later = AT.plusSeconds(60);

    assertThat(EventEnvelope.fromRow(row().availableAt(later).build()).isDelayed()).isTrue();
    EventEnvelope retried =
        EventEnvelope.fromRow(
            row().availableAt(later).attempts(1).status(EventStatus.RETRY).build());
    assertThat(retried.isDelayed()).isFalse();
    assertThat(retried.availableAt()).isNull();
  }

  @Test
  void aDeferralOrAReplayIsNoDelayThatWasAskedFor() {
    Instant later = AT.plusSeconds(60);
    Instant asked = AT.plusSeconds(9);

    OutboxEvent deferred = row().availableAt(later).waitingSince(AT).build();
    assertThat(EventEnvelope.fromRow(deferred).isDelayed()).isFalse();
    OutboxEvent replayed = row().availableAt(later).replayedAt(later).build();
    assertThat(EventEnvelope.fromRow(replayed).isDelayed()).isFalse();
    OutboxEvent delayedAndRetried =
        row().availableAt(later).attempts(1).waitingSince(asked).build();
    assertThat(EventEnvelope.fromRow(delayedAndRetried).availableAt()).isEqualTo(asked);
  }
}
