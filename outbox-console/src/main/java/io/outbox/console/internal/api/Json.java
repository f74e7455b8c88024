package io.outbox.console.internal.api;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import java.time.Instant;
import java.util.Collection;
import java.util.function.Function;

/** An object to be answered with. What is null is written as null. */
final class Json {

  private final JsonObject object = new JsonObject();

  static Json object() {
    return new Json();
  }

  static <T> JsonArray array(Collection<T> values, Function<T, JsonElement> renderer) {
    JsonArray array = new JsonArray();
    values.forEach(value -> array.add(renderer.apply(value)));
    return array;
  }

  Json with(String name, String value) {
    object.addProperty(name, value);
    return this;
  }

  Json with(String name, Number value) {
    object.addProperty(name, value);
    return this;
  }

  Json with(String name, boolean value) {
    object.addProperty(name, value);
    return this;
  }

  Json with(String name, Instant value) {
    object.addProperty(name, value == null ? null : value.toString());
    return this;
  }

  Json with(String name, JsonElement value) {
    object.add(name, value);
    return this;
  }

  JsonObject build() {
    return object;
  }
}
