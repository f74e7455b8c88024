package io.outbox.console.internal.http;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.Strictness;
import com.google.gson.stream.JsonReader;
import com.google.gson.stream.JsonToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.IOException;
import java.io.StringReader;
import java.math.BigDecimal;

/** Reads JSON as its standard says, no member twice, and not deeper than a list in an object. */
final class StrictJson {

  private StrictJson() {}

  static JsonObject object(String text) throws IOException {
    try (JsonReader reader = new JsonReader(new StringReader(text))) {
      reader.setStrictness(Strictness.STRICT);
      JsonObject object = new JsonObject();
      reader.beginObject();
      while (reader.hasNext()) {
        String name = reader.nextName();
        if (object.has(name)) {
          throw new MalformedJsonException("twice: " + name);
        }
        object.add(name, value(reader));
      }
      reader.endObject();
      if (reader.peek() != JsonToken.END_DOCUMENT) {
        throw new MalformedJsonException("more than an object");
      }
      return object;
    }
  }

  private static JsonElement value(JsonReader reader) throws IOException {
    if (reader.peek() != JsonToken.BEGIN_ARRAY) {
      return single(reader);
    }
    JsonArray array = new JsonArray();
    reader.beginArray();
    while (reader.hasNext()) {
      array.add(single(reader));
    }
    reader.endArray();
    return array;
  }

  private static JsonElement single(JsonReader reader) throws IOException {
    return switch (reader.peek()) {
      case STRING -> new JsonPrimitive(reader.nextString());
      case NUMBER -> new JsonPrimitive(new BigDecimal(reader.nextString()));
      case BOOLEAN -> new JsonPrimitive(reader.nextBoolean());
      case NULL -> {
        reader.nextNull();
        yield JsonNull.INSTANCE;
      }
      default -> throw new MalformedJsonException("too deep");
    };
  }
}
