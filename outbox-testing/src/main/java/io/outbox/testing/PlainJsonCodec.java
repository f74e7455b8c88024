package io.outbox.testing;

import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.util.Map;

/**
 * Reads and writes maps, lists, strings, numbers and booleans, without a JSON library: enough for
 * headers. It does not support other objects. Thread-safe.
 */
public final class PlainJsonCodec implements JsonCodec {

  public PlainJsonCodec() {}

  @Override
  public String toJson(Object obj) {
    StringBuilder json = new StringBuilder();
    write(obj, json);
    return json.toString();
  }

  @Override
  public <T> T fromJson(String json, Class<T> type) {
    Object value = new PlainJsonReader(json).readDocument();
    if (value != null && !type.isInstance(value)) {
      throw new PayloadParseException(
          "expected a " + type.getName() + ", but the JSON is a " + value.getClass().getName());
    }
    return type.cast(value);
  }

  private static void write(Object value, StringBuilder json) {
    if (value == null || value instanceof Boolean || value instanceof Number) {
      json.append(value);
    } else if (value instanceof CharSequence text) {
      writeString(text, json);
    } else if (value instanceof Map<?, ?> map) {
      json.append('{');
      map.forEach(
          (key, entry) -> {
            writeString(String.valueOf(key), separate(json, '{'));
            write(entry, json.append(':'));
          });
      json.append('}');
    } else if (value instanceof Iterable<?> items) {
      json.append('[');
      items.forEach(item -> write(item, separate(json, '[')));
      json.append(']');
    } else {
      throw new IllegalArgumentException(
          "PlainJsonCodec writes maps, lists and plain values, not " + value.getClass().getName());
    }
  }

  private static StringBuilder separate(StringBuilder json, char opening) {
    return json.charAt(json.length() - 1) == opening ? json : json.append(',');
  }

  private static void writeString(CharSequence text, StringBuilder json) {
    json.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"', '\\' -> json.append('\\').append(c);
        case '\n' -> json.append("\\n");
        default -> json.append(c < 0x20 ? String.format("\\u%04x", (int) c) : String.valueOf(c));
      }
    }
    json.append('"');
  }
}
