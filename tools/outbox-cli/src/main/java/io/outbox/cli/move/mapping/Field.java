package io.outbox.cli.move.mapping;

import java.util.Map;
import java.util.Objects;

/**
 * Where a value of an event comes from.
 *
 * @param column null for a constant
 * @param constant null for a column
 * @param simpleName whether only the part behind the last dot or dollar sign is meant
 * @param names other values for some values
 * @param optional whether tables may lack the column
 */
public record Field(
    String column,
    String constant,
    boolean simpleName,
    Map<String, String> names,
    boolean optional) {

  public Field {
    names = Map.copyOf(names);
    if ((column == null) == (constant == null)) {
      throw new IllegalArgumentException("a value comes from a column, or is a constant");
    }
  }

  public static Field of(String column) {
    return new Field(Objects.requireNonNull(column, "column"), null, false, Map.of(), false);
  }

  /** What becomes of a column's text; null stays null. */
  public String value(String text) {
    if (text == null) {
      return null;
    }
    String renamed = names.get(text);
    if (renamed != null) {
      return renamed;
    }
    int end = Math.max(text.lastIndexOf('.'), text.lastIndexOf('$'));
    return simpleName ? text.substring(end + 1) : text;
  }
}
