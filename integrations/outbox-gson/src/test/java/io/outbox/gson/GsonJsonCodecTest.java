package io.outbox.gson;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonNull;
import com.google.gson.Strictness;
import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.MonthDay;
import java.time.OffsetDateTime;
import java.time.OffsetTime;
import java.time.Period;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GsonJsonCodecTest {

  private final GsonJsonCodec codec = new GsonJsonCodec();

  record Times(
      Instant instant,
      LocalDate date,
      LocalTime time,
      LocalDateTime dateTime,
      OffsetDateTime offset,
      OffsetTime offsetTime,
      ZonedDateTime zoned,
      Duration duration,
      Period period,
      Year year,
      YearMonth month,
      MonthDay day,
      ZoneId zone,
      ZoneOffset zoneOffset) {}

  record Customer(String customerName, Optional<String> nick) {}

  record Name(String firstName) {}

  @Test
  void theServiceLoaderFindsIt() {
    assertThat(JsonCodec.getDefault()).isInstanceOf(GsonJsonCodec.class);
  }

  @Test
  void anEnvelopeTakesAndGivesObjects() {
    EventEnvelope event = EventEnvelope.builder("Named").payload(new Name("Ada")).build();

    assertThat(event.payloadJson()).isEqualTo("{\"firstName\":\"Ada\"}");
    assertThat(event.payload(Name.class)).isEqualTo(new Name("Ada"));
  }

  @Test
  void datesAndTimesAreIsoStrings() {
    Times times =
        new Times(
            Instant.parse("2025-06-01T10:00:00.123456Z"),
            LocalDate.parse("2025-06-01"),
            LocalTime.parse("10:00:01"),
            LocalDateTime.parse("2025-06-01T10:00:01"),
            OffsetDateTime.parse("2025-06-01T10:00:01+02:00"),
            OffsetTime.parse("10:00:01+02:00"),
            ZonedDateTime.parse("2025-06-01T10:00:01+02:00[Europe/Berlin]"),
            Duration.ofMinutes(90),
            Period.ofDays(3),
            Year.of(2025),
            YearMonth.parse("2025-06"),
            MonthDay.parse("--06-01"),
            ZoneId.of("Europe/Berlin"),
            ZoneOffset.ofHours(2));
    String json = codec.toJson(times);

    assertThat(json)
        .isEqualTo(
            "{\"instant\":\"2025-06-01T10:00:00.123456Z\",\"date\":\"2025-06-01\","
                + "\"time\":\"10:00:01\",\"dateTime\":\"2025-06-01T10:00:01\","
                + "\"offset\":\"2025-06-01T10:00:01+02:00\",\"offsetTime\":\"10:00:01+02:00\","
                + "\"zoned\":\"2025-06-01T10:00:01+02:00[Europe/Berlin]\","
                + "\"duration\":\"PT1H30M\",\"period\":\"P3D\",\"year\":\"2025\","
                + "\"month\":\"2025-06\",\"day\":\"--06-01\",\"zone\":\"Europe/Berlin\","
                + "\"zoneOffset\":\"+02:00\"}");
    assertThat(codec.fromJson(json, Times.class)).isEqualTo(times);
  }

  @Test
  void noDateIsNull() {
    assertThat(codec.fromJson("{\"instant\":null}", Times.class).instant()).isNull();
  }

  @Test
  void aBadDateIsRefusedWithItsPlace() {
    assertThatThrownBy(() -> codec.fromJson("{\"instant\":\"yesterday\"}", Times.class))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("Times")
        .hasMessageContaining("yesterday")
        .hasMessageContaining("$.instant");
  }

  @Test
  void otherClassesOfTheJdkAreNotTakenApart() {
    assertThatThrownBy(() -> codec.toJson(new Customer("Ada", Optional.of("A"))))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("Customer")
        .hasMessageContaining("java.util.Optional");
    assertThatThrownBy(() -> codec.fromJson("{\"nick\":{}}", Customer.class))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("java.util.Optional");
  }

  @Test
  void textIsNotEscapedForHtml() {
    assertThat(codec.toJson(Map.of("k", "<b>&'=</b>"))).isEqualTo("{\"k\":\"<b>&'=</b>\"}");
  }

  @Test
  void anAnonymousClassIsNotSilentlyNull() {
    Object anonymous =
        new Object() {
          @Override
          public String toString() {
            return "lost";
          }
        };
    assertThatThrownBy(() -> codec.toJson(anonymous))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("anonymous");
    assertThat(codec.toJson(null)).isEqualTo("null");
    assertThat(codec.toJson(JsonNull.INSTANCE)).isEqualTo("null");
  }

  @Test
  void aListThatContainsItselfIsRefused() {
    List<Object> list = new ArrayList<>();
    list.add(list);
    assertThatThrownBy(() -> codec.toJson(list)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void notANumberIsRefused() {
    assertThatThrownBy(() -> codec.toJson(Map.of("n", Double.NaN)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nullIsNoObject() {
    assertThat(codec.fromJson("null", Name.class)).isNull();
  }

  @Test
  void fractionsStayFractions() {
    Map<?, ?> map = codec.fromJson("{\"n\":1.5}", Map.class);
    assertThat(map.get("n")).isEqualTo(1.5);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"a\":\"1\",\"a\":\"2\"}", "{\"a\":\"1\",\"\\u0061\":\"1\"}"})
  void aHeaderThatIsThereTwiceIsRefused(String json) {
    assertThatThrownBy(() -> codec.parseStringMap(json))
        .isInstanceOf(PayloadParseException.class)
        .hasMessageContaining("'a' is a duplicate name");
  }

  @Test
  void messagesSayWhereAndWhat() {
    assertThatThrownBy(() -> codec.parseStringMap("{\"ok\":\"1\",\"bad\":2}"))
        .hasMessageContaining("'bad' is NUMBER");
    assertThatThrownBy(() -> codec.fromJson("{\"firstName\":[]}", Name.class))
        .hasMessageContaining(Name.class.getName())
        .hasMessageContaining("$.firstName");
  }

  @Test
  void yourOwnGsonIsUsed() {
    Gson gson =
        new GsonBuilder()
            .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
            .create();
    GsonJsonCodec own = new GsonJsonCodec(gson);

    assertThat(own.toJson(new Name("Ada"))).isEqualTo("{\"first_name\":\"Ada\"}");
    assertThatThrownBy(() -> own.fromJson("{first_name:Ada}", Name.class))
        .as("strict, although a Gson is lenient by itself")
        .isInstanceOf(PayloadParseException.class);
  }

  @Test
  void aGsonThatWasMadeLenientStaysLenientForPayloadsOnly() {
    GsonJsonCodec lenient =
        new GsonJsonCodec(new GsonBuilder().setStrictness(Strictness.LENIENT).create());

    assertThat(lenient.fromJson("{firstName:Ada}", Name.class)).isEqualTo(new Name("Ada"));
    assertThatThrownBy(() -> lenient.parseStringMap("{a:b}"))
        .isInstanceOf(PayloadParseException.class);
  }
}
