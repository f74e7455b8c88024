package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a table looks like in the database, with all names in lower case.
 *
 * @param columns empty if there is no such table
 */
record TableShape(Map<String, Column> columns, Set<String> indexes, Set<String> checks) {

  /**
   * A column.
   *
   * @param numbered whether the database numbers its rows
   * @param collation null if it has none, or the database has one for all
   */
  record Column(String type, boolean nullable, boolean numbered, String collation) {}

  boolean exists() {
    return !columns.isEmpty();
  }

  boolean has(String column) {
    return columns.containsKey(column);
  }

  /** The type of a column; empty if there is no such column. */
  String type(String column) {
    return has(column) ? columns.get(column).type() : "";
  }

  static TableShape of(Connection conn, Product product, TableName table) {
    if (product.family() == Product.Family.OTHER) {
      return TableMetaData.shape(conn, product, table);
    }
    Queries queries = Queries.of(product);
    JdbcTemplate jdbc = new StoreErrors(product, table).template("look at the schema");
    Object[] params =
        product == Product.POSTGRESQL
            ? new Object[] {table.toString()}
            : new Object[] {table.simple(), table.schema()};
    Map<String, Column> columns = new HashMap<>();
    jdbc.query(
        conn,
        queries.columns(),
        row ->
            columns.put(
                Ddl.lowerCase(row.getString(1)),
                new Column(
                    Ddl.lowerCase(row.getString(2)),
                    row.getBoolean(3),
                    row.getBoolean(4),
                    row.getString(5))),
        params);
    return new TableShape(
        columns,
        names(jdbc, conn, queries.indexes(), params),
        names(jdbc, conn, queries.checks(), params));
  }

  private static Set<String> names(
      JdbcTemplate jdbc, Connection conn, String sql, Object[] params) {
    List<String> names = jdbc.query(conn, sql, row -> Ddl.lowerCase(row.getString(1)), params);
    return new HashSet<>(names);
  }

  /** Each product resolves a name as its SQL does: as it folds cases, and in its default schema. */
  private record Queries(String columns, String indexes, String checks) {

    private static final Queries POSTGRESQL =
        new Queries(
            """
            SELECT attname, format_type(atttypid, atttypmod), NOT attnotnull,
              attidentity <> '', NULL
            FROM pg_attribute
            WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped
            """,
            """
            SELECT c.relname FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
            WHERE i.indrelid = to_regclass(?) AND i.indisvalid
            """,
            "SELECT conname FROM pg_constraint WHERE conrelid = to_regclass(?) AND contype = 'c'");

    private static final Queries MYSQL =
        new Queries(
            """
            SELECT column_name, column_type, is_nullable = 'YES',
              extra LIKE '%auto_increment%', collation_name
            FROM information_schema.columns
            WHERE table_name = ? AND table_schema = COALESCE(?, DATABASE())
            """,
            """
            SELECT DISTINCT index_name FROM information_schema.statistics
            WHERE table_name = ? AND table_schema = COALESCE(?, DATABASE())
            """,
            """
            SELECT constraint_name FROM information_schema.table_constraints
            WHERE table_name = ? AND table_schema = COALESCE(?, DATABASE())
              AND constraint_type = 'CHECK'
            """);

    private static final Queries H2 =
        new Queries(
            """
            SELECT column_name, data_type, is_nullable = 'YES', is_identity = 'YES', NULL
            FROM information_schema.columns
            WHERE UPPER(table_name) = UPPER(?)
              AND UPPER(table_schema) = UPPER(COALESCE(?, CURRENT_SCHEMA))
            """,
            """
            SELECT index_name FROM information_schema.indexes
            WHERE UPPER(table_name) = UPPER(?)
              AND UPPER(table_schema) = UPPER(COALESCE(?, CURRENT_SCHEMA))
            """,
            """
            SELECT constraint_name FROM information_schema.table_constraints
            WHERE UPPER(table_name) = UPPER(?)
              AND UPPER(table_schema) = UPPER(COALESCE(?, CURRENT_SCHEMA))
              AND constraint_type = 'CHECK'
            """);

    static Queries of(Product product) {
      return switch (product.family()) {
        case POSTGRESQL -> POSTGRESQL;
        case MYSQL -> MYSQL;
        case H2 -> H2;
        case OTHER -> throw new IllegalStateException("the driver is asked");
      };
    }
  }
}
