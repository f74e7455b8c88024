package io.outbox.cli.output;

import io.outbox.util.Printable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** Rows in aligned columns. Columns give way, the widest first, until the table fits. */
public final class TextTable {

  private static final String GAP = "  ";
  private static final int SHORTEST = 8;

  /**
   * A column.
   *
   * @param fixed whether it is never cut, because its values are to be copied
   */
  public record Column(String title, boolean right, boolean fixed) {

    /** Cut where space is short. */
    public static Column text(String title) {
      return new Column(title, false, false);
    }

    /** Never cut. */
    public static Column fixed(String title) {
      return new Column(title, false, true);
    }

    /** On the right, never cut. */
    public static Column number(String title) {
      return new Column(title, true, true);
    }
  }

  /** What stands in a column of a row. */
  public record Cell(String text, Style style) {

    public Cell {
      text = text == null ? "" : Printable.line(text);
      Objects.requireNonNull(style, "style");
    }
  }

  private final List<Column> columns;
  private final List<List<Cell>> rows = new ArrayList<>();

  public TextTable(Column... columns) {
    this.columns = List.of(columns);
  }

  /** Adds a row; each value is a {@link Cell}, or is shown as text; null is shown as nothing. */
  public TextTable row(Object... values) {
    if (values.length != columns.size()) {
      throw new IllegalArgumentException(
          values.length + " values for " + columns.size() + " columns");
    }
    rows.add(
        Arrays.stream(values)
            .map(
                value ->
                    value instanceof Cell cell
                        ? cell
                        : new Cell(value == null ? null : value.toString(), Style.PLAIN))
            .toList());
    return this;
  }

  /** The lines of the table, no wider than {@code width} if possible. */
  List<String> lines(int width, boolean color) {
    int[] widths = widths(width);
    List<String> lines = new ArrayList<>();
    List<Cell> titles = columns.stream().map(c -> new Cell(c.title(), Style.BOLD)).toList();
    lines.add(line(titles, widths, color));
    rows.forEach(row -> lines.add(line(row, widths, color)));
    return lines;
  }

  private int[] widths(int available) {
    int[] widths = new int[columns.size()];
    for (int i = 0; i < widths.length; i++) {
      int column = i;
      widths[i] =
          Math.max(
              columns.get(i).title().length(),
              rows.stream()
                  .mapToInt(row -> DisplayWidth.of(row.get(column).text()))
                  .max()
                  .orElse(0));
    }
    int excess = Arrays.stream(widths).sum() + GAP.length() * (widths.length - 1) - available;
    for (; excess > 0; excess--) {
      int widest = widestToCut(widths);
      if (widest < 0) {
        break;
      }
      widths[widest]--;
    }
    return widths;
  }

  private int widestToCut(int[] widths) {
    int widest = -1;
    for (int i = 0; i < widths.length; i++) {
      if (!columns.get(i).fixed()
          && widths[i] > Math.max(SHORTEST, columns.get(i).title().length())
          && (widest < 0 || widths[i] > widths[widest])) {
        widest = i;
      }
    }
    return widest;
  }

  private String line(List<Cell> cells, int[] widths, boolean color) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      String text = DisplayWidth.cut(cells.get(i).text(), widths[i]);
      String space = " ".repeat(Math.max(0, widths[i] - DisplayWidth.of(text)));
      String shown = color ? cells.get(i).style().apply(text) : text;
      line.append(i == 0 ? "" : GAP);
      line.append(columns.get(i).right() ? space + shown : shown + space);
    }
    return line.toString().stripTrailing();
  }
}
