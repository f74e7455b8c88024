package io.outbox.cli.move.mapping;

import io.outbox.relay.yaml.Spelling;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The columns of a table, found by their names in any case. */
public final class SourceColumns {

  private static final Set<Integer> BINARY =
      Set.of(Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB);
  private static final Set<Integer> NUMBER = Set.of(Types.BIGINT, Types.INTEGER, Types.NUMERIC);

  /** How a column is read. */
  public enum Kind {
    TEXT,
    BYTES,
    NUMBER,
    LOCAL_TIME,
    /** Of MySQL and MariaDB, in a session whose zone is UTC. */
    UTC_TIME,
    INSTANT,
    /** Of PostgreSQL: the column has only its number. */
    LARGE_OBJECT
  }

  /**
   * A column.
   *
   * @param quoted its name in a statement
   */
  public record Column(String quoted, Kind kind) {}

  private final String table;
  private final Map<String, Column> columns = new LinkedHashMap<>();

  private SourceColumns(String table) {
    this.table = table;
  }

  /** Asks the database. */
  public static SourceColumns of(Connection conn, String table) throws SQLException {
    SourceColumns found = new SourceColumns(Mapping.requireTable(table));
    DatabaseMetaData database = conn.getMetaData();
    String quote = database.getIdentifierQuoteString().strip();
    boolean mySql = List.of("MySQL", "MariaDB").contains(database.getDatabaseProductName());
    try (Statement statement = conn.createStatement();
        ResultSet none = statement.executeQuery("SELECT * FROM " + table + " WHERE 1 = 0")) {
      ResultSetMetaData shape = none.getMetaData();
      for (int i = 1; i <= shape.getColumnCount(); i++) {
        String name = shape.getColumnName(i);
        found.columns.put(
            name.toLowerCase(Locale.ROOT),
            new Column(quote + name.replace(quote, quote + quote) + quote, kind(shape, i, mySql)));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "the table "
              + table
              + " cannot be read, name another --source-table: "
              + String.valueOf(e.getMessage()).split("; SQL statement:|\\R", 2)[0],
          e);
    }
  }

  private static Kind kind(ResultSetMetaData shape, int column, boolean mySql) throws SQLException {
    int type = shape.getColumnType(column);
    String name = shape.getColumnTypeName(column).toLowerCase(Locale.ROOT);
    if (type == Types.TIMESTAMP_WITH_TIMEZONE || name.equals("timestamptz")) {
      return Kind.INSTANT;
    } else if (type == Types.TIMESTAMP) {
      return mySql && name.equals("timestamp") ? Kind.UTC_TIME : Kind.LOCAL_TIME;
    } else if (name.equals("oid")) {
      return Kind.LARGE_OBJECT;
    } else if (BINARY.contains(type)) {
      return Kind.BYTES;
    }
    return NUMBER.contains(type) ? Kind.NUMBER : Kind.TEXT;
  }

  public boolean has(String name) {
    return columns.containsKey(name.toLowerCase(Locale.ROOT));
  }

  /** Says which columns there are if it is not one of them. */
  public Column require(String name) {
    Column column = columns.get(name.toLowerCase(Locale.ROOT));
    if (column == null) {
      throw new IllegalArgumentException(
          "the table "
              + table
              + " has no column '"
              + name
              + "': "
              + Spelling.hint(name, List.copyOf(columns.keySet())));
    }
    if (column.kind() == Kind.LARGE_OBJECT) {
      throw new IllegalArgumentException(
          ("the column '%s' of %s is a large object (oid): copy it into a text column first, with"
                  + " convert_from(lo_get(%1$s), 'UTF8')")
              .formatted(name, table));
    }
    return column;
  }
}
