package io.outbox.jackson3;

import io.outbox.PayloadParseException;
import io.outbox.internal.json.CodecFailures;
import io.outbox.spi.JsonCodec;
import java.util.Objects;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.MapperBuilder;
import tools.jackson.databind.json.JsonMapper;

/**
 * JSON through Jackson 3. Found by {@link java.util.ServiceLoader}; thread-safe.
 *
 * <p>Whatever the mapper says, unknown fields are ignored, text after the value is refused, and
 * what is written has no line breaks.
 */
public final class Jackson3JsonCodec implements JsonCodec {

  private final ObjectReader reader;
  private final ObjectWriter writer;

  /**
   * With a mapper that has the modules found on the class path and writes dates, times and
   * durations of {@code java.time} as ISO-8601 strings.
   */
  public Jackson3JsonCodec() {
    this(
        JsonMapper.builder()
            .addModules(MapperBuilder.findModules(Jackson3JsonCodec.class.getClassLoader()))
            .build());
  }

  /** Uses your own mapper. */
  public Jackson3JsonCodec(ObjectMapper objectMapper) {
    Objects.requireNonNull(objectMapper, "objectMapper");
    this.reader =
        objectMapper
            .reader()
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    this.writer = objectMapper.writer().without(SerializationFeature.INDENT_OUTPUT);
  }

  /**
   * Writes {@code obj} as JSON.
   *
   * @throws IllegalArgumentException if Jackson cannot
   */
  @Override
  public String toJson(Object obj) {
    return CodecFailures.writing(obj, () -> writer.writeValueAsString(obj));
  }

  /**
   * {@inheritDoc}
   *
   * @throws PayloadParseException if the JSON does not match the type
   */
  @Override
  public <T> T fromJson(String json, Class<T> type) {
    return CodecFailures.reading(json, type, () -> reader.forType(type).readValue(json));
  }
}
