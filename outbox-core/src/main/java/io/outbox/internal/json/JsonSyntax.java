package io.outbox.internal.json;

import java.util.BitSet;

/** Tells whether a text is JSON (RFC 8259), without recursion and without building anything. */
public final class JsonSyntax {

  private final String text;
  private int at;

  private JsonSyntax(String text) {
    this.text = text;
  }

  /**
   * Checks that {@code text} is one JSON value.
   *
   * @throws IllegalArgumentException if not, saying where it stops being one
   */
  public static void require(String what, String text) {
    JsonSyntax syntax = new JsonSyntax(text);
    if (!syntax.isDocument()) {
      throw new IllegalArgumentException(
          what
              + " is not valid JSON: "
              + (syntax.at >= text.length()
                  ? "it ends too early, after " + text.length() + " characters"
                  : "unexpected character at index " + syntax.at));
    }
  }

  private boolean isDocument() {
    BitSet objects = new BitSet(); // which of the open containers are objects
    int depth = 0;
    skipSpace();
    while (true) {
      // Here a value must start.
      char c = peek();
      if (c == '{' || c == '[') {
        at++;
        skipSpace();
        objects.set(depth++, c == '{');
        if (peek() != end(objects, depth)) {
          if (c == '{' && !memberName()) {
            return false;
          }
          continue;
        }
      } else if (!scalar(c)) {
        return false;
      }
      // Here a value or an empty container has ended: another value follows, or the end.
      skipSpace();
      while (depth > 0 && peek() == end(objects, depth)) {
        at++;
        depth--;
        skipSpace();
      }
      if (depth == 0 || peek() != ',') {
        return depth == 0 && at == text.length();
      }
      at++;
      skipSpace();
      if (objects.get(depth - 1) && !memberName()) {
        return false;
      }
    }
  }

  private static char end(BitSet objects, int depth) {
    return objects.get(depth - 1) ? '}' : ']';
  }

  private boolean memberName() {
    if (peek() != '"' || !string()) {
      return false;
    }
    skipSpace();
    if (peek() != ':') {
      return false;
    }
    at++;
    skipSpace();
    return true;
  }

  private boolean scalar(char first) {
    return switch (first) {
      case '"' -> string();
      case 't' -> literal("true");
      case 'f' -> literal("false");
      case 'n' -> literal("null");
      default -> number();
    };
  }

  private boolean literal(String word) {
    if (!text.startsWith(word, at)) {
      return false;
    }
    at += word.length();
    return true;
  }

  private boolean string() {
    at++;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == '"') {
        at++;
        return true;
      }
      if (c < 0x20 || c == '\\' && !escape()) {
        return false;
      }
      at++;
    }
    return false;
  }

  private boolean escape() {
    at++;
    char c = peek();
    if (c != 'u') {
      return "\"\\/bfnrt".indexOf(c) >= 0 && at < text.length();
    }
    for (int i = 0; i < 4; i++) {
      at++;
      if (!isHexDigit(peek())) {
        return false;
      }
    }
    return true;
  }

  private boolean number() {
    if (peek() == '-') {
      at++;
    }
    if (peek() == '0') {
      at++;
    } else if (!digits()) {
      return false;
    }
    if (peek() == '.') {
      at++;
      if (!digits()) {
        return false;
      }
    }
    if (peek() == 'e' || peek() == 'E') {
      at++;
      if (peek() == '+' || peek() == '-') {
        at++;
      }
      return digits();
    }
    return true;
  }

  private boolean digits() {
    int start = at;
    while (peek() >= '0' && peek() <= '9') {
      at++;
    }
    return at > start;
  }

  private static boolean isHexDigit(char c) {
    return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F';
  }

  private void skipSpace() {
    while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char peek() {
    return at < text.length() ? text.charAt(at) : '\0';
  }
}
