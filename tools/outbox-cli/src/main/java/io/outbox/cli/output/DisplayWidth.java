package io.outbox.cli.output;

/** How many columns of a terminal a text takes. */
final class DisplayWidth {

  private static final String ELLIPSIS = "…";

  private DisplayWidth() {}

  static int of(String text) {
    return text.codePoints().map(DisplayWidth::of).sum();
  }

  private static int of(int c) {
    int type = Character.getType(c);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(c) ? 2 : 1;
  }

  /** Roughly: scripts of East Asia, and emoji. */
  private static boolean isWide(int c) {
    return (c >= 0x1100 && c <= 0x115f)
        || (c >= 0x2e80 && c <= 0xa4cf)
        || (c >= 0xac00 && c <= 0xd7a3)
        || (c >= 0xf900 && c <= 0xfaff)
        || (c >= 0xfe30 && c <= 0xfe6f)
        || (c >= 0xff00 && c <= 0xff60)
        || (c >= 0xffe0 && c <= 0xffe6)
        || (c >= 0x1f300 && c <= 0x1faff)
        || (c >= 0x20000 && c <= 0x3fffd);
  }

  /** The beginning of a text, no wider than this. */
  static String cut(String text, int width) {
    if (of(text) <= width) {
      return text;
    }
    StringBuilder kept = new StringBuilder();
    int used = 0;
    for (int c : text.codePoints().toArray()) {
      used += of(c);
      if (used > width - 1) {
        break;
      }
      kept.appendCodePoint(c);
    }
    return kept.append(ELLIPSIS).toString();
  }
}
