package io.outbox.spring.boot;

import java.util.Objects;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.SerializationFeature;

/**
 * JSON through Jackson 3, configured like the given mapper, except that unknown fields are ignored
 * and text after the value is refused. Thread-safe.
 */
public final class Jackson3JsonCodec extends JacksonCodec {

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

  @Override
  String write(Object obj) {
    return writer.writeValueAsString(obj);
  }

  @Override
  <T> T read(String json, Class<T> type) {
    return reader.forType(type).readValue(json);
  }
}
