package io.outbox.jdbc.internal;

import java.util.Objects;
import java.util.regex.Pattern;

/**
 * The validated name of an outbox table: safe to put into SQL.
 *
 * @param schema null if the name is not qualified
 */
public record TableName(String schema, String simple) {

  public static final String DEFAULT = "outbox_event";

  /** PostgreSQL cuts names at 63 characters, and those of the indexes are longer than this. */
  private static final int MAX_LENGTH = 50;

  private static final Pattern VALID =
      Pattern.compile("(?:[A-Za-z_][A-Za-z0-9_]*\\.)?[A-Za-z_][A-Za-z0-9_]*");

  /**
   * Checks a name.
   *
   * @throws IllegalArgumentException if it is no name of a table
   */
  public static TableName of(String name) {
    Objects.requireNonNull(name, "table name");
    if (!VALID.matcher(name).matches()) {
      throw new IllegalArgumentException(
          ("'%s' is not a table name: use letters, digits and _, no leading digit, and at most one"
                  + " schema in front (orders.outbox_event)")
              .formatted(name));
    }
    TableName table = any(name);
    if (table.simple.length() > MAX_LENGTH) {
      throw new IllegalArgumentException(
          "the table name '%s' has %s characters; at most %s leave room for the names of its indexes"
              .formatted(table.simple, table.simple.length(), MAX_LENGTH));
    }
    return table;
  }

  /** A name that is in the DDL, however long. */
  public static TableName any(String name) {
    int dot = name.indexOf('.');
    return new TableName(dot < 0 ? null : name.substring(0, dot), name.substring(dot + 1));
  }

  /** The name of an index or constraint of the table. */
  public String derived(String suffix) {
    return simple + "_" + suffix;
  }

  /** A table that belongs to this one, in the same schema. */
  public TableName sibling(String suffix) {
    return new TableName(schema, derived(suffix));
  }

  /** As it is written in SQL. */
  @Override
  public String toString() {
    return schema == null ? simple : schema + "." + simple;
  }
}
