package io.outbox.benchmarks.contestant;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** Fills a table with copies of the one row that a library has written into it itself. */
final class RowCopies {

  private static final int BATCH = 1_000;
  private static final int BATCH_CHARS = 1_000_000;
  private static final int SENT = 10_000;

  /** Makes a copy differ from its original. */
  @FunctionalInterface
  interface Edit {
    void edit(Map<String, Object> row, int n);
  }

  private final DataSource dataSource;
  private final String table;
  private final Map<String, Object> original = new LinkedHashMap<>();

  private RowCopies(DataSource dataSource, String table) {
    this.dataSource = dataSource;
    this.table = table;
  }

  /** Takes the only row out of the table. */
  static RowCopies of(DataSource dataSource, String table, String... generatedColumns)
      throws SQLException {
    RowCopies copies = new RowCopies(dataSource, table);
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      copies.read(statement, Set.of(generatedColumns));
      statement.executeUpdate("DELETE FROM " + table);
    }
    return copies;
  }

  private void read(Statement statement, Set<String> without) throws SQLException {
    try (ResultSet rows = statement.executeQuery("SELECT * FROM " + table)) {
      if (!rows.next()) {
        throw new IllegalStateException("there is no row in " + table + " to copy");
      }
      ResultSetMetaData columns = rows.getMetaData();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        String name = columns.getColumnName(i).toLowerCase(Locale.ROOT);
        if (!without.contains(name)) {
          original.put(name, value(rows, i));
        }
      }
      if (rows.next()) {
        throw new IllegalStateException("there is more than one row in " + table);
      }
    }
  }

  private static Object value(ResultSet rows, int column) throws SQLException {
    Object value = rows.getObject(column);
    return value instanceof java.sql.Clob ? rows.getString(column) : value;
  }

  /**
   * Inserts many rows, most of them within the database: a JVM that had sent a million of them
   * would not be measured as one that has not.
   *
   * @param unique columns that must differ, by an expression of {@code n}, the number of the row
   */
  void insertMany(int count, Map<String, String> unique, Edit edit) throws SQLException {
    int sent = Math.min(count, SENT);
    insert(0, sent, edit);
    List<String> columns = List.copyOf(original.keySet());
    List<String> values =
        columns.stream().map(column -> unique.getOrDefault(column, column)).toList();
    try (Connection conn = dataSource.getConnection();
        Statement statement = conn.createStatement()) {
      for (int n = sent; n < count; n += sent) {
        statement.executeUpdate(
            "INSERT INTO %s (%s) SELECT %s FROM (SELECT s.*, %d + ROW_NUMBER() OVER (ORDER BY %s) AS n FROM (SELECT * FROM %s ORDER BY %s LIMIT %d) s) t"
                .formatted(
                    table,
                    String.join(", ", columns),
                    String.join(", ", values),
                    n - 1,
                    unique.keySet().iterator().next(),
                    table,
                    unique.keySet().iterator().next(),
                    Math.min(sent, count - n)));
      }
    }
  }

  void insert(int first, int count, Edit edit) throws SQLException {
    List<String> columns = List.copyOf(original.keySet());
    String sql =
        "INSERT INTO %s (%s) VALUES (%s)"
            .formatted(table, String.join(", ", columns), "?, ".repeat(columns.size() - 1) + "?");
    try (Connection conn = dataSource.getConnection();
        PreparedStatement insert = conn.prepareStatement(sql)) {
      conn.setAutoCommit(false);
      Map<String, Object> row = new LinkedHashMap<>();
      int rows = 0;
      int chars = 0;
      for (int n = first; n < first + count; n++) {
        row.putAll(original);
        edit.edit(row, n);
        for (int i = 0; i < columns.size(); i++) {
          Object value = row.get(columns.get(i));
          insert.setObject(i + 1, value);
          chars += value instanceof String text ? text.length() : 0;
        }
        insert.addBatch();
        if (++rows == BATCH || chars >= BATCH_CHARS) {
          insert.executeBatch();
          rows = 0;
          chars = 0;
        }
      }
      insert.executeBatch();
      conn.commit();
    }
  }
}
