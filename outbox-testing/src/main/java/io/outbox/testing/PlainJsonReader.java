package io.outbox.testing;

import io.outbox.PayloadParseException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads one JSON value (RFC 8259). Of use for one text. */
final class PlainJsonReader {

  private static final int MAX_DEPTH = 256;
  private static final Pattern NUMBER =
      Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");

  private final String json;
  private int at;
  private int depth;

  PlainJsonReader(String json) {
    this.json = json;
  }

  Object readDocument() {
    Object value = readValue();
    skipSpace();
    if (at < json.length()) {
      throw malformed("unexpected text behind the value");
    }
    return value;
  }

  private Object readValue() {
    skipSpace();
    return switch (peek()) {
      case '{' -> readObject();
      case '[' -> readArray();
      case '"' -> readString();
      case 't' -> readWord("true", true);
      case 'f' -> readWord("false", false);
      case 'n' -> readWord("null", null);
      default -> readNumber();
    };
  }

  private Map<String, Object> readObject() {
    Map<String, Object> object = new LinkedHashMap<>();
    for (boolean more = open('}'); more; more = next('}')) {
      skipSpace();
      String name = readString();
      skipSpace();
      expect(':');
      if (object.containsKey(name)) {
        throw malformed("the name '" + name + "' is there twice");
      }
      object.put(name, readValue());
    }
    return object;
  }

  private List<Object> readArray() {
    List<Object> array = new ArrayList<>();
    for (boolean more = open(']'); more; more = next(']')) {
      array.add(readValue());
    }
    return array;
  }

  /** Whether a value follows the opening bracket. */
  private boolean open(char closing) {
    at++;
    if (++depth > MAX_DEPTH) {
      throw malformed("nested deeper than " + MAX_DEPTH);
    }
    skipSpace();
    if (peek() != closing) {
      return true;
    }
    at++;
    depth--;
    return false;
  }

  /** Whether another value follows. */
  private boolean next(char closing) {
    skipSpace();
    if (peek() == ',') {
      at++;
      return true;
    }
    expect(closing);
    depth--;
    return false;
  }

  private String readString() {
    expect('"');
    StringBuilder text = new StringBuilder();
    while (peek() != '"') {
      char c = peek();
      if (c < 0x20) {
        throw malformed("control character in a string, or its end is missing");
      }
      at++;
      text.append(c == '\\' ? readEscape() : c);
    }
    at++;
    return text.toString();
  }

  private char readEscape() {
    char c = peek();
    at++;
    return switch (c) {
      case '"', '\\', '/' -> c;
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> readUnicodeEscape();
      default -> throw malformed("unknown escape");
    };
  }

  private char readUnicodeEscape() {
    String digits = json.substring(at, Math.min(at + 4, json.length()));
    if (!digits.matches("[0-9a-fA-F]{4}")) {
      throw malformed("four hexadecimal digits expected");
    }
    at += 4;
    return (char) Integer.parseInt(digits, 16);
  }

  private Object readWord(String word, Object value) {
    if (!json.startsWith(word, at)) {
      throw malformed("'" + word + "' expected");
    }
    at += word.length();
    return value;
  }

  private Number readNumber() {
    Matcher number = NUMBER.matcher(json).region(at, json.length());
    if (!number.lookingAt()) {
      throw malformed("a value was expected");
    }
    at = number.end();
    BigDecimal value = new BigDecimal(number.group());
    boolean whole = number.group(2) == null && number.group(3) == null;
    return whole && value.precision() <= 18 ? (Number) value.longValueExact() : value;
  }

  private void expect(char c) {
    if (peek() != c) {
      throw malformed("'" + c + "' expected");
    }
    at++;
  }

  private void skipSpace() {
    while (at < json.length() && " \t\n\r".indexOf(json.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    return at < json.length() ? json.charAt(at) : '\0';
  }

  private PayloadParseException malformed(String why) {
    return new PayloadParseException("malformed JSON at index " + at + ": " + why);
  }
}
