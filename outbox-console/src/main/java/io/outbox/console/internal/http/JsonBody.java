package io.outbox.console.internal.http;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParseException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The body of a request: a JSON object of texts, numbers and lists of texts. */
public final class JsonBody {

  /** What is longer is refused. */
  public static final int MAX_BYTES = 64 * 1024;

  private static final Pattern JSON =
      Pattern.compile("(?i)application/json\\s*(;\\s*charset\\s*=\\s*\"?utf-8\"?\\s*)?");

  private final JsonObject object;

  private JsonBody(JsonObject object) {
    this.object = object;
  }

  /** Reads no further than to the limit. */
  public static JsonBody read(Request request) {
    if (!isJson(request.header("Content-Type"))) {
      throw new HttpFailure(415, "Send the body as application/json, in UTF-8.");
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
    return parse(bytes);
  }

  private static boolean isJson(String type) {
    return type != null && JSON.matcher(type).matches();
  }

  private static JsonBody parse(byte[] bytes) {
    try {
      String text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
      return new JsonBody(StrictJson.object(text));
    } catch (IOException | IllegalStateException | JsonParseException e) {
      // what it says quotes the body, which may hold a password
      throw HttpFailure.badRequest("The body must be a JSON object in UTF-8.");
    }
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
    if (!isText(element)) {
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

  /** A whole number that is not negative. */
  public long number(String name, long otherwise) {
    JsonElement element = object.get(name);
    if (element == null || element.isJsonNull()) {
      return otherwise;
    }
    if (element.isJsonPrimitive() && element.getAsJsonPrimitive().isNumber()) {
      String value = element.getAsString();
      if (value.matches("\\d{1,18}")) {
        return Long.parseLong(value);
      }
    }
    throw HttpFailure.badRequest("'" + name + "' must be a whole number, and not negative.");
  }

  /** Empty if it is missing. */
  public List<String> texts(String name) {
    JsonElement element = object.get(name);
    List<String> values = new ArrayList<>();
    if (element == null || element.isJsonNull()) {
      return values;
    }
    if (!element.isJsonArray()) {
      throw noTexts(name);
    }
    for (JsonElement each : element.getAsJsonArray()) {
      if (!isText(each)) {
        throw noTexts(name);
      }
      values.add(each.getAsString());
    }
    return values;
  }

  private static HttpFailure noTexts(String name) {
    return HttpFailure.badRequest("'" + name + "' must be a list of texts.");
  }

  private static boolean isText(JsonElement element) {
    return element.isJsonPrimitive() && element.getAsJsonPrimitive().isString();
  }
}
