package io.outbox.console.internal.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The body of a request: a JSON object of texts, numbers and lists of texts. */
public final class JsonBody {

  /** What is longer is refused. */
  public static final int MAX_BYTES = 64 * 1024;

  private final JsonObject object;

  private JsonBody(JsonObject object) {
    this.object = object;
  }

  /** Reads no further than to the limit. */
  public static JsonBody read(Request request) {
    String type = request.header("Content-Type");
    if (type == null || !type.toLowerCase(Locale.ROOT).startsWith("application/json")) {
      throw new HttpFailure(415, "Send the body as application/json.");
    }
    byte[] bytes;
    try {
      bytes = request.body().readNBytes(MAX_BYTES + 1);
    } catch (IOException e) {
      throw HttpFailure.badRequest("The body could not be read: " + e.getMessage());
    }
    if (bytes.length > MAX_BYTES) {
      throw new HttpFailure(413, "The body is larger than " + MAX_BYTES + " bytes.");
    }
    return parse(new String(bytes, StandardCharsets.UTF_8));
  }

  private static JsonBody parse(String text) {
    try {
      JsonElement element = JsonParser.parseString(text);
      if (element.isJsonObject()) {
        return new JsonBody(element.getAsJsonObject());
      }
    } catch (JsonParseException e) {
      // what it says quotes the body, which may hold a password
      throw HttpFailure.badRequest("The body is not JSON.");
    }
    throw HttpFailure.badRequest("The body must be a JSON object.");
  }

  /** Refuses what is not known: a limit that is overlooked would make an action hit more. */
  public JsonBody only(String... names) {
    for (String name : object.keySet()) {
      if (!List.of(names).contains(name)) {
        throw HttpFailure.badRequest("There is no '" + name + "', only " + List.of(names) + ".");
      }
    }
    return this;
  }

  /** Null if it is missing, null or empty. */
  public String text(String name) {
    JsonElement element = object.get(name);
    if (element == null || element.isJsonNull()) {
      return null;
    }
    if (!element.isJsonPrimitive()) {
      throw HttpFailure.badRequest("'" + name + "' must be a text.");
    }
    String value = element.getAsString();
    return value.isBlank() ? null : value;
  }

  public String required(String name) {
    String value = text(name);
    if (value == null) {
      throw HttpFailure.badRequest("'" + name + "' is missing.");
    }
    return value;
  }

  public long number(String name, long otherwise) {
    String value = text(name);
    try {
      return value == null ? otherwise : Long.parseLong(value);
    } catch (NumberFormatException e) {
      throw HttpFailure.badRequest("'" + name + "' must be a whole number.");
    }
  }

  /** Empty if it is missing. */
  public List<String> texts(String name) {
    JsonElement element = object.get(name);
    List<String> values = new ArrayList<>();
    if (element != null && element.isJsonArray()) {
      for (JsonElement each : element.getAsJsonArray()) {
        if (!each.isJsonPrimitive()) {
          throw HttpFailure.badRequest("'" + name + "' must be a list of texts.");
        }
        values.add(each.getAsString());
      }
    }
    return values;
  }
}
