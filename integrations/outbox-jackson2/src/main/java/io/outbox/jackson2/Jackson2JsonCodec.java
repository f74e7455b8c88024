package io.outbox.jackson2;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.cfg.MapperBuilder;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.outbox.PayloadParseException;
import io.outbox.internal.json.CodecFailures;
import io.outbox.spi.JsonCodec;
import java.util.Objects;

/**
 * JSON through Jackson 2. Found by {@link java.util.ServiceLoader}; thread-safe.
 *
 * <p>Whatever the mapper says, unknown fields are ignored, text after the value is refused, and
 * what is written has no line breaks.
 */
public class Jackson2JsonCodec implements JsonCodec {

  private final ObjectReader reader;
  private final ObjectWriter writer;

  /**
   * With a mapper that has the modules found on the class path and writes dates, times and
   * durations of {@code java.time} as ISO-8601 strings.
   */
  public Jackson2JsonCodec() {
    this(defaultMapper());
  }

  /** Uses your own mapper. */
  public Jackson2JsonCodec(ObjectMapper objectMapper) {
    Objects.requireNonNull(objectMapper, "objectMapper");
    this.reader =
        objectMapper
            .reader()
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    this.writer = objectMapper.writer().without(SerializationFeature.INDENT_OUTPUT);
  }

  private static ObjectMapper defaultMapper() {
    return JsonMapper.builder()
        .addModules(MapperBuilder.findModules(Jackson2JsonCodec.class.getClassLoader()))
        .disable(
            SerializationFeature.WRITE_DATES_AS_TIMESTAMPS,
            SerializationFeature.WRITE_DURATIONS_AS_TIMESTAMPS)
        .build();
  }

  /**
   * Writes {@code obj} as JSON.
   *
   * @throws IllegalArgumentException if Jackson cannot
   */
  @Override
  public final String toJson(Object obj) {
    return CodecFailures.writing(obj, () -> writer.writeValueAsString(obj));
  }

  /**
   * {@inheritDoc}
   *
   * @throws PayloadParseException if the JSON does not match the type
   */
  @Override
  public final <T> T fromJson(String json, Class<T> type) {
    return CodecFailures.reading(json, type, () -> reader.forType(type).readValue(json));
  }
}
