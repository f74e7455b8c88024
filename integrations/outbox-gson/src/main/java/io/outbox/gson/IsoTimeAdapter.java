package io.outbox.gson;

import com.google.gson.GsonBuilder;
import com.google.gson.JsonSyntaxException;
import com.google.gson.TypeAdapter;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonWriter;
import java.io.IOException;
import java.time.DateTimeException;
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
import java.util.function.Function;

/** Writes a value of {@code java.time} as the string that its {@code parse} reads. */
final class IsoTimeAdapter<T> extends TypeAdapter<T> {

  private final Function<String, T> parse;

  private IsoTimeAdapter(Function<String, T> parse) {
    this.parse = parse;
  }

  static void registerAll(GsonBuilder builder) {
    register(builder, Duration.class, Duration::parse);
    register(builder, Instant.class, Instant::parse);
    register(builder, LocalDate.class, LocalDate::parse);
    register(builder, LocalDateTime.class, LocalDateTime::parse);
    register(builder, LocalTime.class, LocalTime::parse);
    register(builder, MonthDay.class, MonthDay::parse);
    register(builder, OffsetDateTime.class, OffsetDateTime::parse);
    register(builder, OffsetTime.class, OffsetTime::parse);
    register(builder, Period.class, Period::parse);
    register(builder, Year.class, Year::parse);
    register(builder, YearMonth.class, YearMonth::parse);
    register(builder, ZonedDateTime.class, ZonedDateTime::parse);
    register(builder, ZoneOffset.class, ZoneOffset::of);
    // A ZoneId is never of that class itself.
    builder.registerTypeHierarchyAdapter(ZoneId.class, new IsoTimeAdapter<>(ZoneId::of).nullSafe());
  }

  private static <T> void register(GsonBuilder builder, Class<T> type, Function<String, T> parse) {
    builder.registerTypeAdapter(type, new IsoTimeAdapter<>(parse).nullSafe());
  }

  @Override
  public void write(JsonWriter out, T value) throws IOException {
    out.value(value.toString());
  }

  @Override
  public T read(JsonReader in) throws IOException {
    String text = in.nextString();
    try {
      return parse.apply(text);
    } catch (DateTimeException e) {
      throw new JsonSyntaxException(e.getMessage() + " at " + in.getPreviousPath(), e);
    }
  }
}
