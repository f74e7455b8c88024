package io.outbox.cli.output;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import com.google.gson.JsonParseException;
import com.google.gson.JsonParser;
import io.outbox.util.Printable;

/** JSON as text. */
public final class JsonText {

  private static final Gson INDENTED =
      new GsonBuilder().setPrettyPrinting().serializeNulls().disableHtmlEscaping().create();
  private static final Gson ONE_LINE =
      new GsonBuilder().serializeNulls().disableHtmlEscaping().create();

  private JsonText() {}

  static String indented(JsonElement json) {
    return harmless(INDENTED.toJson(json));
  }

  static String oneLine(JsonElement json) {
    return harmless(ONE_LINE.toJson(json));
  }

  /** A document indented for people, or as it is if it is not JSON. */
  public static String pretty(String document) {
    try {
      return INDENTED.toJson(JsonParser.parseString(document));
    } catch (JsonParseException | StackOverflowError notOrTooDeep) {
      return document;
    }
  }

  /** What is not printable can only be in strings, where an escape means the same. */
  private static String harmless(String json) {
    StringBuilder text = new StringBuilder(json.length());
    for (int i = 0; i < json.length(); ) {
      int c = json.codePointAt(i);
      if (c == '\n' || Printable.isHarmless(c)) {
        text.appendCodePoint(c);
      } else {
        for (char unit : Character.toChars(c)) {
          text.append("\\u%04x".formatted((int) unit));
        }
      }
      i += Character.charCount(c);
    }
    return text.toString();
  }
}
