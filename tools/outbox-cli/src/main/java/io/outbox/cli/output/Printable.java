package io.outbox.cli.output;

/**
 * Makes text that came from an event harmless: nothing in it moves the cursor, changes a colour or
 * hides what stands beside it.
 */
public final class Printable {

  private Printable() {}

  /** In one line; line breaks are shown as {@code \n}. */
  public static String line(String text) {
    return escaped(text, false);
  }

  /** With its line breaks. */
  public static String block(String text) {
    return escaped(text.replace("\r\n", "\n").replace("\t", "  "), true);
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

  /** Controls, also those of eight bits, and what turns the direction of writing or is unseen. */
  static boolean isHarmless(int codePoint) {
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
