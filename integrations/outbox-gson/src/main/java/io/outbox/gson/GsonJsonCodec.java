package io.outbox.gson;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.ReflectionAccessFilter;
import com.google.gson.Strictness;
import com.google.gson.ToNumberPolicy;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import io.outbox.PayloadParseException;
import io.outbox.spi.JsonCodec;
import java.io.IOException;
import java.io.StringReader;
import java.lang.reflect.Type;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/**
 * JSON through Gson. Found by {@link java.util.ServiceLoader}; thread-safe.
 *
 * <p>With the default Gson, dates and times of {@code java.time} are ISO-8601 strings, whole
 * numbers in maps stay whole, and text is not escaped for HTML. Other JDK classes that Gson does
 * not know, such as {@code Optional}, are refused instead of written by reflection.
 *
 * <p>Reading is strict: invalid JSON is refused, unless you pass a Gson that is explicitly lenient.
 */
public final class GsonJsonCodec implements JsonCodec {

  private final Gson gson;

  public GsonJsonCodec() {
    this(defaultGson());
  }

  /** Uses your own Gson for payloads. Headers do not depend on it. */
  public GsonJsonCodec(Gson gson) {
    this.gson = Objects.requireNonNull(gson, "gson");
  }

  private static Gson defaultGson() {
    GsonBuilder builder =
        new GsonBuilder()
            .disableHtmlEscaping()
            .setStrictness(Strictness.STRICT)
            .setObjectToNumberStrategy(ToNumberPolicy.LONG_OR_DOUBLE)
            .addReflectionAccessFilter(ReflectionAccessFilter.BLOCK_ALL_JAVA);
    IsoTimeAdapter.registerAll(builder);
    return builder.create();
  }

  /**
   * Writes {@code obj} as JSON.
   *
   * @throws IllegalArgumentException if Gson cannot, for example because of an anonymous class,
   *     which it would silently turn into {@code null}
   */
  @Override
  public String toJson(Object obj) {
    String json;
    try {
      json = gson.toJson(obj);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "cannot write a " + obj.getClass().getName() + " as JSON: " + e.getMessage(), e);
    } catch (StackOverflowError e) {
      throw new IllegalArgumentException(
          "cannot write a " + obj.getClass().getName() + " as JSON: does it contain itself?", e);
    }
    if (json.equals("null") && obj != null && !(obj instanceof JsonElement)) {
      throw new IllegalArgumentException(
          "Gson writes a "
              + obj.getClass().getName()
              + " as null; is it an anonymous or local class? Use a named one");
    }
    return json;
  }

  @Override
  public <T> T fromJson(String json, Class<T> type) {
    JsonReader reader = strictReader(json);
    try {
      reader.peek(); // Gson itself would take an empty text for null
      T value = gson.fromJson(reader, (Type) type);
      requireEnd(reader);
      return value;
    } catch (IOException | RuntimeException e) {
      throw new PayloadParseException(
          "cannot read the JSON as " + type.getName() + ": " + e.getMessage(), e);
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>A duplicate name is refused as well, because its value is ambiguous.
   */
  @Override
  public Map<String, String> parseStringMap(String json) {
    if (json == null || json.isBlank() || json.strip().equals("null")) {
      return Map.of();
    }
    JsonReader reader = strictReader(json);
    try {
      Map<String, String> strings = new LinkedHashMap<>();
      reader.beginObject();
      while (reader.hasNext()) {
        readString(reader, strings);
      }
      reader.endObject();
      requireEnd(reader);
      return strings;
    } catch (IOException | IllegalStateException e) {
      throw new PayloadParseException("not a JSON object of strings: " + e.getMessage(), e);
    }
  }

  private static void readString(JsonReader reader, Map<String, String> strings)
      throws IOException {
    String name = reader.nextName();
    if (reader.peek() != JsonToken.STRING) {
      throw new PayloadParseException(
          "not a JSON object of strings: the value of '" + name + "' is " + reader.peek());
    }
    if (strings.putIfAbsent(name, reader.nextString()) != null) {
      throw new PayloadParseException(
          "not a JSON object of strings: '" + name + "' is a duplicate name");
    }
  }

  private static JsonReader strictReader(String json) {
    JsonReader reader = new JsonReader(new StringReader(Objects.requireNonNull(json, "json")));
    reader.setStrictness(Strictness.STRICT);
    return reader;
  }

  private static void requireEnd(JsonReader reader) throws IOException {
    if (reader.peek() != JsonToken.END_DOCUMENT) {
      throw new PayloadParseException("unexpected text after the JSON value");
    }
  }
}
