package io.outbox.http;

import io.outbox.UnrecoverableException;
import java.nio.charset.StandardCharsets;
import java.util.function.IntPredicate;

/** Percent-encoding of UTF-8. */
final class Percent {

  private static final String UNRESERVED = "-._~";

  private Percent() {}

  /** Leaves only what has no meaning anywhere in an address. */
  static String encodePart(String value) {
    if (value.equals(".") || value.equals("..")) {
      throw new UnrecoverableException("'" + value + "' would change the address it is part of");
    }
    return encode(value, c -> isAlphanumeric(c) || UNRESERVED.indexOf(c) >= 0);
  }

  /** Leaves control characters as they are: they are to be refused. */
  static String encodeHeader(String value, boolean cloudEvent) {
    String encoded = cloudEvent ? "%\" " : "%";
    return encode(value, c -> c < 0x7f && encoded.indexOf(c) < 0 || c == 0x7f);
  }

  private static boolean isAlphanumeric(int c) {
    return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
  }

  private static String encode(String value, IntPredicate kept) {
    if (value.chars().allMatch(kept)) {
      return value;
    }
    StringBuilder text = new StringBuilder(value.length() + 16);
    for (byte b : value.getBytes(StandardCharsets.UTF_8)) {
      int c = b & 0xff;
      if (kept.test(c)) {
        text.append((char) c);
      } else {
        text.append('%')
            .append(Character.toUpperCase(Character.forDigit(c >> 4, 16)))
            .append(Character.toUpperCase(Character.forDigit(c & 15, 16)));
      }
    }
    return text.toString();
  }
}
