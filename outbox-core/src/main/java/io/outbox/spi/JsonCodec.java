package io.outbox.spi;

import io.outbox.PayloadParseException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Turns objects into JSON and back. Implementations are safe for use by many threads. */
public interface JsonCodec {

  /**
   * The codec set by {@link #setDefault}, else the first that {@link java.util.ServiceLoader}
   * finds.
   *
   * @throws IllegalStateException if there is none
   */
  static JsonCodec getDefault() {
    return JsonCodecHolder.get();
  }

  /** Uses {@code codec} from now on; null returns to the codec on the class path. */
  static void setDefault(JsonCodec codec) {
    JsonCodecHolder.set(codec);
  }

  String toJson(Object obj);

  /**
   * Reads {@code json} as {@code type}.
   *
   * @throws PayloadParseException if the JSON does not match the type
   */
  <T> T fromJson(String json, Class<T> type);

  /**
   * Reads an object whose values are all strings. Null, blank and {@code "null"} are an empty map.
   *
   * @throws PayloadParseException if it is anything else
   */
  default Map<String, String> parseStringMap(String json) {
    if (json == null || json.isBlank() || json.strip().equals("null")) {
      return Map.of();
    }
    Map<?, ?> parsed = fromJson(json, Map.class);
    Map<String, String> strings = new LinkedHashMap<>();
    if (parsed != null) {
      parsed.forEach(
          (key, value) -> {
            if (!(key instanceof String name) || !(value instanceof String text)) {
              throw new PayloadParseException(
                  "expected an object of strings, but the value of '" + key + "' is none");
            }
            strings.put(name, text);
          });
    }
    return strings;
  }
}
