package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.spi.JsonCodec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventEnvelopeTest {

  private static final Instant AT = Instant.parse("2025-06-01T10:00:00.123456Z");

  private enum Events implements EventType {
    ORDER_PLACED
  }

  private enum Aggregates implements AggregateType {
    ORDER
  }

  /** The values that go into columns of a limited length. */
  private enum Column {
    EVENT_TYPE(128),
    EVENT_ID(36),
    AGGREGATE_TYPE(64),
    AGGREGATE_ID(128),
    TENANT_ID(64),
    ORDERING_KEY(255),
    PARTITION_KEY(255),
    CONTENT_TYPE(128);

    private final int maxLength;

    Column(int maxLength) {
      this.maxLength = maxLength;
    }

    EventEnvelope.Builder with(String value) {
      EventEnvelope.Builder builder = builder();
      return switch (this) {
        case EVENT_TYPE -> EventEnvelope.builder(value).payloadJson("{}");
        case EVENT_ID -> builder.eventId(value);
        case AGGREGATE_TYPE -> builder.aggregateType(value);
        case AGGREGATE_ID -> builder.aggregateId(value);
        case TENANT_ID -> builder.tenantId(value);
        case ORDERING_KEY -> builder.orderingKey(value);
        case PARTITION_KEY -> builder.partitionKey(value);
        case CONTENT_TYPE -> builder.payloadJson(null).payloadBytes(new byte[1], value);
      };
    }

    String of(EventEnvelope event) {
      return switch (this) {
        case EVENT_TYPE -> event.eventType();
        case EVENT_ID -> event.eventId();
        case AGGREGATE_TYPE -> event.aggregateType();
        case AGGREGATE_ID -> event.aggregateId();
        case TENANT_ID -> event.tenantId();
        case ORDERING_KEY -> event.orderingKey();
        case PARTITION_KEY -> event.partitionKey();
        case CONTENT_TYPE -> event.contentType();
      };
    }
  }

  @AfterEach
  void forgetCodec() {
    JsonCodec.setDefault(null);
  }

  private static EventEnvelope.Builder builder() {
    return EventEnvelope.builder("OrderPlaced").payloadJson("{}");
  }

  @Test
  void whatIsNotGivenHasItsDefault() {
    Instant before = Instant.now();
    EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{\"a\":1}");

    assertThat(event.eventType()).isEqualTo("OrderPlaced");
    assertThat(event.payloadJson()).isEqualTo("{\"a\":1}");
    assertThat(event.payloadBytes()).isNull();
    assertThat(event.contentType()).isEqualTo("application/json");
    assertThat(event.payloadSize()).isEqualTo(7);
    assertThat(event.eventId()).hasSize(26);
    assertThat(event.occurredAt()).isBetween(before.minusNanos(1000), Instant.now());
    assertThat(event.aggregateType())
        .isEqualTo("__GLOBAL__")
        .isEqualTo(AggregateType.GLOBAL.name());
    assertThat(event.aggregateId()).isNull();
    assertThat(event.tenantId()).isNull();
    assertThat(event.orderingKey()).isNull();
    assertThat(event.partitionKey()).isNull();
    assertThat(event.headers()).isEmpty();
    assertThat(event.availableAt()).isNull();
    assertThat(event.isDelayed()).isFalse();
  }

  @Test
  void enumsNameEventsAndAggregates() {
    EventEnvelope event =
        EventEnvelope.builder(Events.ORDER_PLACED)
            .aggregateType(Aggregates.ORDER)
            .payloadJson("{}")
            .build();

    assertThat(event.eventType()).isEqualTo("ORDER_PLACED");
    assertThat(event.aggregateType()).isEqualTo("ORDER");
    assertThat(EventEnvelope.ofJson(Events.ORDER_PLACED, "{}").eventType())
        .isEqualTo("ORDER_PLACED");
  }

  @Test
  void namesKnownAtRunTimeWillDoToo() {
    EventEnvelope event =
        EventEnvelope.builder(StringEventType.of("Dynamic"))
            .aggregateType(StringAggregateType.of("Custom"))
            .payloadJson("{}")
            .build();

    assertThat(event.eventType()).isEqualTo("Dynamic");
    assertThat(event.aggregateType()).isEqualTo("Custom");
    assertThatThrownBy(() -> StringEventType.of(" ")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> StringAggregateType.of(""))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatNullPointerException().isThrownBy(() -> StringEventType.of(null));
    assertThatNullPointerException().isThrownBy(() -> StringAggregateType.of(null));
  }

  @Test
  void aBuilderUsedTwiceMakesTwoEvents() {
    EventEnvelope.Builder builder = builder();
    assertThat(builder.build().eventId()).isNotEqualTo(builder.build().eventId());
  }

  @Test
  void idsOfEventsBuiltInARowAreSorted() {
    assertThat(builder().build().eventId()).isLessThan(builder().build().eventId());
  }

  @Test
  void R10_instantsAreCutToTheMicrosecond() {
    EventEnvelope event =
        builder().occurredAt(AT.plusNanos(999)).availableAt(AT.plusNanos(2999)).build();

    assertThat(event.occurredAt()).isEqualTo(AT);
    assertThat(event.availableAt()).isEqualTo(AT.plusNanos(2000));
    assertThat(builder().build().occurredAt().getNano() % 1000).isZero();
  }

  @Test
  void anEventCanBeDelayedUntilAnInstant() {
    EventEnvelope event = builder().occurredAt(AT).availableAt(AT.plusSeconds(5)).build();

    assertThat(event.availableAt()).isEqualTo(AT.plusSeconds(5));
    assertThat(event.isDelayed()).isTrue();
  }

  @Test
  void anEventCanBeDelayedForAWhile() {
    EventEnvelope event = builder().deliverAfter(Duration.ofMinutes(30)).occurredAt(AT).build();

    assertThat(event.availableAt()).isEqualTo(AT.plus(Duration.ofMinutes(30)));
    assertThat(event.isDelayed()).isTrue();
  }

  @Test
  void anEventAvailableWhenItOccurredIsNotDelayed() {
    EventEnvelope event = builder().occurredAt(AT).availableAt(AT).build();

    assertThat(event.isDelayed()).isFalse();
    assertThat(event.availableAt()).isEqualTo(AT);
  }

  @Test
  void R17_anEventIsNotAvailableBeforeItOccurred() {
    assertThatThrownBy(() -> builder().occurredAt(AT).availableAt(AT.minusNanos(1000)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("before occurredAt");
  }

  @Test
  void R17_theDelayIsGivenOnce() {
    assertThatThrownBy(() -> builder().availableAt(AT).deliverAfter(Duration.ofSeconds(1)).build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not both");
  }

  @Test
  void R17_theDelayIsPositive() {
    assertThatThrownBy(() -> builder().deliverAfter(Duration.ZERO))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().deliverAfter(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void R17_nullIsRefusedWhereItMeansNothing() {
    assertThatNullPointerException().isThrownBy(() -> EventEnvelope.builder((String) null));
    assertThatNullPointerException().isThrownBy(() -> EventEnvelope.builder((EventType) null));
    assertThatNullPointerException().isThrownBy(() -> EventEnvelope.builder(() -> null));
    assertThatNullPointerException().isThrownBy(() -> builder().availableAt(null));
    assertThatNullPointerException().isThrownBy(() -> builder().deliverAfter(null));
    assertThatNullPointerException().isThrownBy(() -> builder().eventId(null));
    assertThatNullPointerException().isThrownBy(() -> builder().occurredAt(null));
    assertThatNullPointerException().isThrownBy(() -> builder().aggregateType((String) null));
    assertThatNullPointerException()
        .isThrownBy(() -> builder().aggregateType((AggregateType) null));
    assertThatNullPointerException().isThrownBy(() -> builder().headers(null));
    assertThatNullPointerException().isThrownBy(() -> builder().payload(null));
    assertThatNullPointerException().isThrownBy(() -> builder().payloadBytes(null, "a/b"));
    assertThatNullPointerException().isThrownBy(() -> builder().payloadBytes(new byte[0], null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\t\n"})
  void R17_blankNamesAreRefused(String blank) {
    for (Column column :
        new Column[] {
          Column.EVENT_TYPE, Column.EVENT_ID, Column.AGGREGATE_TYPE, Column.CONTENT_TYPE
        }) {
      assertThatThrownBy(() -> column.with(blank).build())
          .as(column.name())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("blank");
    }
  }

  @ParameterizedTest
  @EnumSource(Column.class)
  void R17_valuesThatDoNotFitTheirColumnAreRefused(Column column) {
    String longest = "é".repeat(column.maxLength);
    assertThat(column.of(column.with(longest).build())).isEqualTo(longest);

    assertThatThrownBy(() -> column.with(longest + "é").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(column.maxLength + 1 + " characters")
        .hasMessageContaining("at most " + column.maxLength);
  }

  @ParameterizedTest
  @EnumSource(Column.class)
  void R17_textThatCannotBeStoredIsRefused(Column column) {
    for (String bad : new String[] {"a\0b", "a\ud83d", "\ude00a", "\ud83d\ud83d\ude00"}) {
      assertThatThrownBy(() -> column.with(bad).build())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cannot be stored");
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Column.class,
      names = {"AGGREGATE_ID", "TENANT_ID", "ORDERING_KEY", "PARTITION_KEY"})
  void theOthersMayBeNull(Column column) {
    assertThat(column.of(column.with("set").build())).isEqualTo("set");
    assertThat(column.of(column.with(null).build())).isNull();
  }

  @Test
  void headersKeepTheirOrder() {
    Map<String, String> headers = new LinkedHashMap<>();
    headers.put("zeta", "1");
    headers.put("alpha", "2");
    EventEnvelope event = builder().headers(headers).header("mid", "3").build();

    assertThat(event.headers())
        .containsExactly(Map.entry("zeta", "1"), Map.entry("alpha", "2"), Map.entry("mid", "3"));
    assertThat(builder().header("old", "1").headers(Map.of("new", "2")).build().headers())
        .containsExactly(Map.entry("new", "2"));
  }

  @Test
  void R17_badHeadersAreRefused() {
    Map<String, String> nullKey = new LinkedHashMap<>();
    nullKey.put(null, "value");
    assertThatNullPointerException()
        .isThrownBy(() -> builder().headers(nullKey))
        .withMessageContaining("header key");
    assertThatNullPointerException()
        .isThrownBy(() -> builder().header("trace", null))
        .withMessageContaining("trace");
    assertThatThrownBy(() -> builder().header("trace", "\ud83d").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trace");
    assertThatThrownBy(() -> builder().header("\ude00", "v").build())
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aCopyHasOtherHeadersAndIsTheSameEvent() {
    EventEnvelope event =
        EventEnvelope.builder("T")
            .aggregateType("A")
            .aggregateId("1")
            .tenantId("tenant")
            .occurredAt(AT)
            .availableAt(AT.plusSeconds(9))
            .orderingKey("order")
            .partitionKey("partition")
            .header("old", "1")
            .payloadJson("{ \"a\": 1 }")
            .build();
    EventEnvelope copy = event.withHeaders(Map.of("new", "2"));

    assertThat(copy.headers()).containsExactly(Map.entry("new", "2"));
    assertThat(event.headers()).containsExactly(Map.entry("old", "1"));
    assertThat(copy).usingRecursiveComparison().ignoringFields("values.headers").isEqualTo(event);
  }

  @Test
  void aCopyKeepsItsBytes() {
    EventEnvelope event = EventEnvelope.builder("T").payloadBytes(new byte[] {1}, "a/b").build();
    EventEnvelope copy = event.withHeaders(Map.of());

    assertThat(copy.payloadBytes()).containsExactly(1);
    assertThat(copy.payloadJson()).isNull();
    assertThat(copy.contentType()).isEqualTo("a/b");
  }

  @Test
  void R17_badHeadersOfACopyAreRefused() {
    EventEnvelope event = builder().build();

    assertThatNullPointerException().isThrownBy(() -> event.withHeaders(null));
    assertThatThrownBy(() -> event.withHeaders(Map.of("trace", "\ud83d")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("trace");
    assertThatThrownBy(
            () -> event.withHeaders(Map.of("a", "x".repeat(EventEnvelope.MAX_HEADER_BYTES))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("at most");
  }

  @Test
  void anEnvelopeDoesNotChange() {
    Map<String, String> headers = new LinkedHashMap<>(Map.of("a", "1"));
    byte[] bytes = {1, 2, 3};
    EventEnvelope.Builder builder =
        EventEnvelope.builder("T").headers(headers).payloadBytes(bytes, "a/b");
    EventEnvelope event = builder.build();
    headers.put("b", "2");
    builder.header("c", "3").tenantId("t").payloadBytes(new byte[9], "c/d");
    bytes[0] = 9;
    event.payloadBytes()[1] = 9;

    assertThat(event.headers()).containsExactly(Map.entry("a", "1"));
    assertThat(event.tenantId()).isNull();
    assertThat(event.contentType()).isEqualTo("a/b");
    assertThat(event.payloadBytes()).containsExactly(1, 2, 3);
    assertThatThrownBy(() -> event.headers().put("d", "4"))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void R17_anEventHasExactlyOnePayload() {
    assertThatThrownBy(() -> EventEnvelope.builder("T").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("needs a payload");
    assertThatThrownBy(() -> EventEnvelope.ofJson("T", null))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().payloadBytes(new byte[1], "a/b").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not both");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "{a:1}", "hello", "{} {}", "\"\ud83d\"", "\"a\0\""})
  void R17_aPayloadThatIsNotJsonIsRefused(String payload) {
    assertThatThrownBy(() -> EventEnvelope.ofJson("T", payload))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("payload");
  }

  @ParameterizedTest
  @CsvSource({"x, 1", "é, 2", "日, 3", "😀, 4"})
  void R17_aPayloadHasAMillionBytesOfUtf8AtMost(String letter, int size) {
    int room = EventEnvelope.MAX_PAYLOAD_BYTES - 2;
    String fits = '"' + "x".repeat(room % size) + letter.repeat(room / size) + '"';
    assertThat(fits.getBytes(StandardCharsets.UTF_8)).hasSize(1_048_576);

    assertThat(EventEnvelope.ofJson("T", fits).payloadSize()).isEqualTo(1_048_576);
    assertThatThrownBy(() -> EventEnvelope.ofJson("T", fits + " "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1048577")
        .hasMessageContaining("1048576");
  }

  @Test
  void R17_bytesHaveTheSameLimit() {
    assertThat(
            EventEnvelope.builder("T")
                .payloadBytes(new byte[1_048_576], "a/b")
                .build()
                .payloadSize())
        .isEqualTo(1_048_576);
    assertThatThrownBy(
            () -> EventEnvelope.builder("T").payloadBytes(new byte[1_048_577], "a/b").build())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1048577");
  }

  @Test
  void R8_thePayloadIsKeptToTheLetter() {
    String odd = " {\"b\":1.0 ,\r\n\"a\":1e5,\"a\":\"\\u00e9\"}\t";
    assertThat(EventEnvelope.ofJson("T", odd).payloadJson()).isEqualTo(odd);
  }

  @Test
  void noCodecIsNeededWithoutObjects() {
    assertThatCode(() -> builder().header("a", "b").build()).doesNotThrowAnyException();
  }

  @Test
  void anObjectBecomesAPayloadThroughTheCodec() {
    JsonCodec.setDefault(new StubJsonCodec(json -> "read " + json));
    EventEnvelope event = EventEnvelope.builder("T").payload(42).build();

    assertThat(event.payloadJson()).isEqualTo("42");
    assertThat(event.payload(String.class)).isEqualTo("read 42");
    assertThatNullPointerException().isThrownBy(() -> event.payload(null));
  }

  @Test
  void R17_aCodecThatWritesNoJsonIsFoundOut() {
    JsonCodec.setDefault(new StubJsonCodec(json -> null));
    EventEnvelope.Builder builder = EventEnvelope.builder("T").payload("bare words");

    assertThatThrownBy(builder::build).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void aPayloadThatCannotBeReadIsAParseFailure() {
    EventEnvelope event = builder().build();
    PayloadParseException own = new PayloadParseException("own");
    JsonCodec.setDefault(
        new StubJsonCodec(
            json -> {
              throw own;
            }));
    assertThatThrownBy(() -> event.payload(String.class)).isSameAs(own);

    IllegalStateException other = new IllegalStateException("other");
    JsonCodec.setDefault(
        new StubJsonCodec(
            json -> {
              throw other;
            }));
    assertThatThrownBy(() -> event.payload(String.class))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining(event.eventId())
        .hasMessageContaining("java.lang.String")
        .hasCause(other);
  }

  @Test
  void bytesAreNotReadAsJson() {
    EventEnvelope event = EventEnvelope.builder("T").payloadBytes(new byte[1], "a/b").build();

    assertThatThrownBy(() -> event.payload(String.class))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("a/b");
  }

  @Test
  void itsTextDoesNotGiveThePayloadAway() {
    EventEnvelope event = EventEnvelope.ofJson("T", "\"secret\"");
    assertThat(event.toString()).contains(event.eventId(), "T").doesNotContain("secret");
  }
}
