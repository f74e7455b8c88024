package io.outbox.jackson2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.outbox.EventEnvelope;
import io.outbox.spi.JsonCodec;
import io.outbox.testing.contract.JsonCodecContract;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class Jackson2JsonCodecTest extends JsonCodecContract {

  @Override
  protected JsonCodec codec() {
    return new Jackson2JsonCodec();
  }

  /** What a mapper says that would break the promises of a codec is not listened to. */
  @Nested
  class WithAMapperOfItsOwn extends JsonCodecContract {
    @Override
    protected JsonCodec codec() {
      return new Jackson2JsonCodec(
          JsonMapper.builder()
              .enable(SerializationFeature.INDENT_OUTPUT)
              .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
              .disable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
              .build());
    }
  }

  record Snake(String camelCase) {}

  record Times(Instant instant, LocalDate date, OffsetDateTime offset, Duration duration) {}

  static class Loop {
    public Loop getSelf() {
      return this;
    }
  }

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(JsonCodec.getDefault()).isInstanceOf(Jackson2JsonCodec.class);
  }

  @Test
  void anEnvelopeTakesAndGivesObjects() {
    EventEnvelope event = EventEnvelope.builder("Named").payload(new Snake("s")).build();

    assertThat(event.payloadJson()).isEqualTo("{\"camelCase\":\"s\"}");
    assertThat(event.payload(Snake.class)).isEqualTo(new Snake("s"));
  }

  @Test
  void datesAndTimesAreIsoStrings() {
    Times times =
        new Times(
            Instant.parse("2025-06-01T10:00:00.123456Z"),
            LocalDate.parse("2025-06-01"),
            OffsetDateTime.parse("2025-06-01T10:00:01Z"),
            Duration.ofMinutes(90));
    String json = codec().toJson(times);

    assertThat(json)
        .isEqualTo(
            "{\"instant\":\"2025-06-01T10:00:00.123456Z\",\"date\":\"2025-06-01\","
                + "\"offset\":\"2025-06-01T10:00:01Z\",\"duration\":\"PT1H30M\"}");
    assertThat(codec().fromJson(json, Times.class)).isEqualTo(times);
  }

  @Test
  void yourOwnMapperDecidesAboutNames() {
    JsonCodec snakes =
        new Jackson2JsonCodec(
            JsonMapper.builder()
                .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
                .build());

    assertThat(snakes.toJson(new Snake("s"))).isEqualTo("{\"camel_case\":\"s\"}");
    assertThat(snakes.fromJson("{\"camel_case\":\"s\"}", Snake.class)).isEqualTo(new Snake("s"));
  }

  @Test
  void whatCannotBeWrittenIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> codec().toJson(new Loop()))
        .withMessageContaining("Loop as JSON");
  }

  @Test
  void nullIsNamed() {
    assertThatNullPointerException()
        .isThrownBy(() -> new Jackson2JsonCodec(null))
        .withMessage("objectMapper");
    assertThatNullPointerException()
        .isThrownBy(() -> codec().fromJson(null, Snake.class))
        .withMessage("json");
  }
}
