package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Asks the driver what a table looks like, for databases without a catalog that we know. */
final class TableMetaData {

  private TableMetaData() {}

  static TableShape shape(Connection conn, Product product, TableName table) {
    try {
      DatabaseMetaData database = conn.getMetaData();
      String schema = table.schema() == null ? conn.getSchema() : fold(database, table.schema());
      String name = fold(database, table.simple());
      Map<String, TableShape.Column> columns = columns(conn, schema, name);
      return new TableShape(
          columns, columns.isEmpty() ? Set.of() : indexes(conn, schema, name), Set.of());
    } catch (SQLException e) {
      throw new StoreErrors(product, table).describe("look at the schema", e);
    }
  }

  private static Map<String, TableShape.Column> columns(Connection conn, String schema, String name)
      throws SQLException {
    Map<String, TableShape.Column> columns = new HashMap<>();
    DatabaseMetaData database = conn.getMetaData();
    String escape = database.getSearchStringEscape();
    try (ResultSet row =
        database.getColumns(
            conn.getCatalog(), literally(schema, escape), literally(name, escape), null)) {
      while (row.next()) {
        columns.put(
            Ddl.lowerCase(row.getString("COLUMN_NAME")),
            new TableShape.Column(
                Ddl.lowerCase(row.getString("TYPE_NAME")),
                row.getInt("NULLABLE") != DatabaseMetaData.columnNoNulls,
                true,
                null));
      }
    }
    return columns;
  }

  private static Set<String> indexes(Connection conn, String schema, String name)
      throws SQLException {
    Set<String> indexes = new HashSet<>();
    try (ResultSet row =
        conn.getMetaData().getIndexInfo(conn.getCatalog(), schema, name, false, true)) {
      while (row.next()) {
        if (row.getString("INDEX_NAME") != null) {
          indexes.add(Ddl.lowerCase(row.getString("INDEX_NAME")));
        }
      }
    }
    return indexes;
  }

  /** As the database stores a name that is not quoted. */
  private static String fold(DatabaseMetaData database, String name) throws SQLException {
    if (database.storesUpperCaseIdentifiers()) {
      return name.toUpperCase(Locale.ROOT);
    }
    return database.storesLowerCaseIdentifiers() ? Ddl.lowerCase(name) : name;
  }

  /** An underscore stands for any character in a search. */
  private static String literally(String name, String escape) {
    return name == null || escape == null || escape.isEmpty()
        ? name
        : name.replace("_", escape + "_");
  }
}
