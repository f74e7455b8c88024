package io.outbox.cli.move.mapping;

import java.util.List;
import java.util.Objects;

/**
 * Chooses rows by one column.
 *
 * @param column null for all rows
 * @param values of {@link Test#IN}, {@link Test#NOT_IN} and {@link Test#AFTER}
 */
public record Condition(String column, Test test, List<String> values) {

  /** What is asked of the column. */
  public enum Test {
    EMPTY("%s IS NULL"),
    NOT_EMPTY("%s IS NOT NULL"),
    IN("%s IN (%s)"),
    NOT_IN("(%s IS NULL OR %1$s NOT IN (%s))"),
    AFTER("%s > %s");

    private final String sql;

    Test(String sql) {
      this.sql = sql;
    }
  }

  public static final Condition ALL = new Condition(null, Test.NOT_EMPTY, List.of());

  public Condition {
    Objects.requireNonNull(test, "test");
    values = List.copyOf(values);
  }

  /** With a parameter for each value. */
  public String sql(SourceColumns columns) {
    return column == null ? "1 = 1" : sql(columns.require(column).quoted());
  }

  /**
   * The same, but no index can serve it: for statements that find rows by their key, and should
   * lock nothing else that could be in the way of writers.
   */
  public String sqlWithoutIndex(SourceColumns columns) {
    return column == null
        ? "1 = 1"
        : sql("COALESCE(%s, NULL)".formatted(columns.require(column).quoted()));
  }

  private String sql(String operand) {
    String parameters = String.join(", ", values.stream().map(value -> "?").toList());
    return test.sql.formatted(operand, parameters);
  }
}
