package io.outbox.spring.boot;

import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.util.Objects;

/** What the codecs of Jackson 2 and 3 share: how they fail. Only they know classes of Jackson. */
abstract class JacksonCodec implements JsonCodec {

  abstract String write(Object obj) throws Exception;

  abstract <T> T read(String json, Class<T> type) throws Exception;

  /**
   * Writes {@code obj} as JSON.
   *
   * @throws IllegalArgumentException if Jackson cannot
   */
  @Override
  public final String toJson(Object obj) {
    try {
      return write(obj);
    } catch (Exception e) {
      throw new IllegalArgumentException(
          "cannot write a " + obj.getClass().getName() + " as JSON: " + e.getMessage(), e);
    }
  }

  @Override
  public final <T> T fromJson(String json, Class<T> type) {
    Objects.requireNonNull(json, "json");
    try {
      return read(json, type);
    } catch (Exception e) {
      throw new PayloadParseException(
          "cannot read the JSON as " + type.getName() + ": " + e.getMessage(), e);
    }
  }
}
