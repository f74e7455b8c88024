package io.outbox.spring.boot;

import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.util.Objects;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;

/**
 * JSON through Jackson 3, as the given mapper is configured, except that unknown fields are no
 * reason to fail and text behind the value is. Thread-safe.
 */
public final class Jackson3JsonCodec implements JsonCodec {

  private final ObjectReader reader;
  private final ObjectWriter writer;

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
    try {
      return writer.writeValueAsString(obj);
    } catch (JacksonException e) {
      throw new IllegalArgumentException(
          "cannot write a " + obj.getClass().getName() + " as JSON: " + e.getMessage(), e);
    }
  }

  @Override
  public <T> T fromJson(String json, Class<T> type) {
    Objects.requireNonNull(json, "json");
    try {
      return reader.forType(type).readValue(json);
    } catch (JacksonException e) {
      throw new PayloadParseException(
          "cannot read the JSON as " + type.getName() + ": " + e.getMessage(), e);
    }
  }
}
