package io.outbox.internal.json;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON texts into maps, lists, strings, numbers, booleans and nulls. */
public final class JsonTree {

  private static final int MAX_DEPTH = 32;

  private final String text;
  private int at;
  private int depth;

  private JsonTree(String text) {
    this.text = text;
  }

  /**
   * @throws IllegalArgumentException if it is not JSON, or nested too deeply
   */
  public static Object read(String text) {
    JsonSyntax.require("the text", text); // so that nothing below need look for mistakes
    return new JsonTree(text).value();
  }

  private Object value() {
    char first = next();
    return switch (first) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      case 't' -> word("true", Boolean.TRUE);
      case 'f' -> word("false", Boolean.FALSE);
      case 'n' -> word("null", null);
      default -> number();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> object = new LinkedHashMap<>();
    enter();
    while (next() != '}') {
      String name = string();
      next();
      at++; // the colon
      object.put(name, value());
      skipComma();
    }
    leave();
    return object;
  }

  private List<Object> array() {
    List<Object> array = new ArrayList<>();
    enter();
    while (next() != ']') {
      array.add(value());
      skipComma();
    }
    leave();
    return array;
  }

  private void enter() {
    at++;
    if (++depth > MAX_DEPTH) {
      throw new IllegalArgumentException("nested deeper than " + MAX_DEPTH);
    }
  }

  private void leave() {
    at++;
    depth--;
  }

  private void skipComma() {
    if (next() == ',') {
      at++;
    }
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    at++;
    while (text.charAt(at) != '"') {
      char c = text.charAt(at++);
      string.append(c == '\\' ? escaped() : c);
    }
    at++;
    return string.toString();
  }

  private char escaped() {
    char c = text.charAt(at++);
    return switch (c) {
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'u' -> {
        at += 4;
        yield (char) Integer.parseInt(text, at - 4, at, 16);
      }
      default -> c;
    };
  }

  private Object word(String word, Object value) {
    at += word.length();
    return value;
  }

  private BigDecimal number() {
    int start = at;
    while (at < text.length() && "+-.0123456789eE".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return new BigDecimal(text.substring(start, at));
  }

  /** The next character that is no space. */
  private char next() {
    while (" \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    return text.charAt(at);
  }
}
