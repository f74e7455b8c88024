package io.outbox.jdbc.internal.search;

import io.outbox.jdbc.internal.Product;
import java.util.regex.Pattern;

/** What errors have in common that differ in numbers and ids only: those stand as {@code #}. */
public final class ErrorPattern {

  /** Of errors without words. */
  static final String NONE = "(no message)";

  /** As event ids are, unless the application chose others. */
  private static final String ULID = "[0-9A-HJKMNP-TV-Z]{26}";

  /** Numbers, ULIDs, and words of hexadecimal digits as in UUIDs or hashes. */
  private static final Pattern VARIABLE =
      Pattern.compile("\\b" + ULID + "\\b|\\b[0-9a-fA-F]{8,}(?:-[0-9a-fA-F]{4,})*\\b|[0-9]+");

  private static final Pattern AROUND = Pattern.compile("^[ \t]+|[ \t]+$");

  private ErrorPattern() {}

  /** Blanks and tabs around it are left out. */
  public static String firstLine(String error) {
    return error == null ? "" : AROUND.matcher(error.lines().findFirst().orElse("")).replaceAll("");
  }

  /** The pattern of an error's first line. */
  public static String of(String firstLine) {
    return firstLine.isEmpty() ? NONE : VARIABLE.matcher(firstLine).replaceAll("#");
  }

  /**
   * A regular expression that finds, at the beginning of a text, a first line of this pattern, and
   * perhaps of others: databases differ in what a word is.
   */
  static String regex(String pattern, Product product) {
    String variable = "(#|" + ULID + "|[0-9a-fA-F]{8,}(-[0-9a-fA-F]{4,})*|[0-9]+)";
    // some databases else follow the column, which may not tell upper from lower case
    StringBuilder regex = new StringBuilder(product == Product.MYSQL ? "(?-i)" : "");
    regex.append("^[ \t]*");
    (pattern.equals(NONE) ? "" : pattern)
        .codePoints()
        .forEach(
            c -> {
              if (c == '#') {
                regex.append(variable);
              } else if (c < 128 && c > ' ' && !Character.isLetterOrDigit(c)) {
                regex.append('\\').appendCodePoint(c);
              } else {
                regex.appendCodePoint(c);
              }
            });
    return regex.append("[ \t]*([\r\n]|$)").toString();
  }
}
