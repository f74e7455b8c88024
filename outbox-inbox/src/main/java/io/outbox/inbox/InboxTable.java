package io.outbox.inbox;

import java.util.Objects;
import java.util.regex.Pattern;

/** The validated name of an inbox table: safe to put into SQL. */
record InboxTable(String name) {

  static final String DEFAULT = "inbox_event";

  /** PostgreSQL cuts names at 63 characters, and that of the index is longer than this. */
  private static final int MAX_LENGTH = 50;

  private static final Pattern VALID =
      Pattern.compile("(?:[A-Za-z_][A-Za-z0-9_]*\\.)?[A-Za-z_][A-Za-z0-9_]*");

  InboxTable {
    Objects.requireNonNull(name, "table name");
    if (!VALID.matcher(name).matches()) {
      throw new IllegalArgumentException(
          "'"
              + name
              + "' is not a table name: use letters, digits and _, no leading digit, and at most one"
              + " schema in front (billing.inbox_event)");
    }
    if (simple(name).length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "the table name '"
              + simple(name)
              + "' has "
              + simple(name).length()
              + " characters; at most "
              + MAX_LENGTH
              + " leave room for the name of its index");
    }
  }

  /** Without the schema. */
  String simple() {
    return simple(name);
  }

  private static String simple(String name) {
    return name.substring(name.indexOf('.') + 1);
  }

  @Override
  public String toString() {
    return name;
  }
}
