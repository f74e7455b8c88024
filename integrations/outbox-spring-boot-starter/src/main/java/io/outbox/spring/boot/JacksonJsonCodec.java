package io.outbox.spring.boot;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.util.Objects;

/**
 * JSON through Jackson 2, configured like the given mapper, except that unknown fields are ignored
 * and text after the value is refused. Thread-safe.
 */
public final class JacksonJsonCodec extends JacksonCodec {

  private final ObjectReader reader;
  private final ObjectWriter writer;

  public JacksonJsonCodec(ObjectMapper objectMapper) {
    Objects.requireNonNull(objectMapper, "objectMapper");
    this.reader =
        objectMapper
            .reader()
            .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .without(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
    this.writer = objectMapper.writer().without(SerializationFeature.INDENT_OUTPUT);
  }

  @Override
  String write(Object obj) throws JsonProcessingException {
    return writer.writeValueAsString(obj);
  }

  @Override
  <T> T read(String json, Class<T> type) throws JsonProcessingException {
    return reader.forType(type).readValue(json);
  }
}
