package io.outbox.util;

import java.util.Objects;

/**
 * Makes text that others wrote harmless for a log or a terminal: nothing in it begins a line, moves
 * the cursor, changes a color or hides other text.
 */
public final class Printable {

  private Printable() {}

  /** In one line; line breaks are shown as {@code \n}. */
  public static String line(String text) {
    Objects.requireNonNull(text, "text");
    return isHarmless(text) ? text : escaped(text, false);
  }

  /** With its line breaks. */
  public static String block(String text) {
    Objects.requireNonNull(text, "text");
    return escaped(text.replace("\r\n", "\n").replace("\t", "  "), true);
  }

  /** The same exception, or one with its stack trace and its causes, but harmless texts. */
  public static Throwable thrown(Throwable thrown) {
    return PrintableThrowable.of(Objects.requireNonNull(thrown, "thrown"));
  }

  private static String escaped(String text, boolean keepLines) {
    StringBuilder shown = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            c -> {
              if (keepLines && c == '\n') {
                shown.append('\n');
              } else if (isHarmless(c)) {
                shown.appendCodePoint(c);
              } else {
                shown.append(escape(c));
              }
            });
    return shown.toString();
  }

  /** Whether it can be shown in one line as it is. */
  static boolean isHarmless(String text) {
    return text.codePoints().allMatch(Printable::isHarmless);
  }

  /**
   * Whether a character can be shown as it is. Not harmless are controls, eight-bit ones included,
   * and characters that turn the direction of writing or are invisible.
   */
  public static boolean isHarmless(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  private static String escape(int codePoint) {
    return switch (codePoint) {
      case '\n' -> "\\n";
      case '\r' -> "\\r";
      case '\t' -> "\\t";
      default ->
          Character.isBmpCodePoint(codePoint)
              ? "\\u%04x".formatted(codePoint)
              : "\\u%04x\\u%04x"
                  .formatted(
                      (int) Character.highSurrogate(codePoint),
                      (int) Character.lowSurrogate(codePoint));
    };
  }
}
