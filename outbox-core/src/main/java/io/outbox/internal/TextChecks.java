package io.outbox.internal;

/** Checks that a text can be stored in every database and comes back unchanged. */
public final class TextChecks {

  private TextChecks() {}

  /**
   * The number of UTF-8 bytes of {@code text}.
   *
   * @throws IllegalArgumentException if it has half a surrogate pair, which no database can store
   */
  public static long utf8Length(String what, String text) {
    long bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        bytes++;
      } else if (c < 0x800) {
        bytes += 2;
      } else if (!Character.isSurrogate(c)) {
        bytes += 3;
      } else {
        if (!Character.isHighSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          throw new IllegalArgumentException(
              what + " has half a surrogate pair at index " + i + "; it cannot be stored");
        }
        bytes += 4;
        i++;
      }
    }
    return bytes;
  }

  /** Checks a value for a column of {@code maxLength} characters; null passes. */
  public static String column(String what, String value, int maxLength) {
    if (value == null) {
      return null;
    }
    if (value.length() > maxLength) {
      throw new IllegalArgumentException(
          what + " has " + value.length() + " characters, at most " + maxLength + " can be stored");
    }
    if (value.indexOf('\0') >= 0) {
      throw new IllegalArgumentException(what + " contains a NUL character; it cannot be stored");
    }
    utf8Length(what, value);
    return value;
  }

  /**
   * Makes an error text storable: no NUL, no half surrogate pairs, at most {@code max} characters.
   */
  public static String cleanError(String text, int max) {
    if (text == null) {
      return null;
    }
    StringBuilder clean = new StringBuilder(Math.min(text.length(), max));
    for (int i = 0; i < text.length() && clean.length() < max; i++) {
      char c = text.charAt(i);
      if (!Character.isSurrogate(c)) {
        clean.append(c == '\0' ? '\uFFFD' : c);
      } else if (Character.isHighSurrogate(c)
          && i + 1 < text.length()
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        if (clean.length() + 2 > max) {
          break;
        }
        clean.append(c).append(text.charAt(++i));
      } else {
        clean.append('\uFFFD');
      }
    }
    return clean.toString();
  }
}
