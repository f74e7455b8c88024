package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * Which tables and indexes there are, and what the database thinks how many rows each has; asked
 * with one statement.
 */
public final class SchemaSnapshot {

  private final TableName table;
  private final Map<String, Long> rows;

  private SchemaSnapshot(TableName table, Map<String, Long> rows) {
    this.table = table;
    this.rows = rows;
  }

  /** Of which nothing is known. */
  public static SchemaSnapshot none(TableName table) {
    return new SchemaSnapshot(table, Map.of());
  }

  /** The outbox table has this other table. */
  public boolean hasTable(String suffix) {
    return rows.containsKey(key(suffix));
  }

  public boolean hasIndex(String suffix) {
    return rows.containsKey("index " + key(suffix));
  }

  /** How many rows the database thinks the outbox table has. */
  public OptionalLong rows() {
    return known(table.simple().toLowerCase(Locale.ROOT));
  }

  /** How many rows the database thinks an index has. */
  public OptionalLong rows(String index) {
    return known("index " + key(index));
  }

  private OptionalLong known(String name) {
    long estimate = rows.getOrDefault(name, -1L);
    return estimate < 0 ? OptionalLong.empty() : OptionalLong.of(estimate);
  }

  private String key(String suffix) {
    return table.derived(suffix).toLowerCase(Locale.ROOT);
  }

  /** Asks. */
  public static final class Reader {

    private static final List<String> SIBLINGS =
        List.of("pause", "audit", "block", "member", "hold");

    /**
     * Of an index PostgreSQL knows how large it was when it was analyzed last, and how large it is
     * now; of one that never was, about 250 entries are in a page.
     */
    private static final String POSTGRESQL =
        """
        SELECT relname, reltuples::bigint FROM pg_class
        WHERE oid IN (to_regclass(?), to_regclass(?), to_regclass(?), to_regclass(?),
          to_regclass(?), to_regclass(?))
        UNION ALL
        SELECT 'index ' || c.relname,
          CASE WHEN c.reltuples > 0
            THEN (c.reltuples * (pg_relation_size(c.oid) / 8192) / GREATEST(c.relpages, 1))::bigint
            ELSE GREATEST(pg_relation_size(c.oid) / 8192 - 1, 0) * 250 END
        FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        WHERE i.indrelid = to_regclass(?) AND i.indisvalid
        """;

    private static final String MYSQL =
        """
        SELECT table_name, table_rows FROM information_schema.tables
        WHERE table_schema = COALESCE(?, DATABASE()) AND table_name IN (?, ?, ?, ?, ?, ?)
        UNION ALL
        SELECT DISTINCT CONCAT('index ', index_name), -1 FROM information_schema.statistics
        WHERE table_schema = COALESCE(?, DATABASE()) AND table_name = ?
        """;

    private static final String H2 =
        """
        SELECT table_name, row_count_estimate FROM information_schema.tables
        WHERE UPPER(table_schema) = UPPER(COALESCE(?, CURRENT_SCHEMA))
          AND UPPER(table_name) IN (UPPER(?), UPPER(?), UPPER(?), UPPER(?), UPPER(?),
            UPPER(?))
        UNION ALL
        SELECT 'index ' || index_name, -1 FROM information_schema.indexes
        WHERE UPPER(table_schema) = UPPER(COALESCE(?, CURRENT_SCHEMA))
          AND UPPER(table_name) = UPPER(?)
        """;

    private final StoreContext context;
    private final JdbcTemplate jdbc;
    private final String sql; // null if the driver has to be asked
    private final List<TableName> tables;
    private final Object[] params;

    public Reader(StoreContext context) {
      this.context = context;
      this.jdbc = context.template("look at the schema");
      this.sql = sql(context.product);
      TableName table = context.table;
      this.tables = Stream.concat(Stream.of(table), SIBLINGS.stream().map(table::sibling)).toList();
      this.params =
          context.product == Product.POSTGRESQL
              ? Stream.concat(tables.stream(), Stream.of(table)).map(TableName::toString).toArray()
              : Stream.of(
                      Stream.of(table.schema()),
                      tables.stream().map(TableName::simple),
                      Stream.of(table.schema(), table.simple()))
                  .flatMap(part -> part)
                  .toArray();
    }

    public SchemaSnapshot read(Connection conn) {
      Map<String, Long> rows = new HashMap<>();
      if (sql == null) {
        tables.stream()
            .filter(table -> TableShape.of(conn, context.product, table).exists())
            .forEach(table -> rows.put(table.simple().toLowerCase(Locale.ROOT), -1L));
        return new SchemaSnapshot(context.table, rows);
      }
      jdbc.query(
          conn,
          sql,
          row -> rows.put(row.getString(1).toLowerCase(Locale.ROOT), row.getLong(2)),
          params);
      return new SchemaSnapshot(context.table, rows);
    }

    private static String sql(Product product) {
      return switch (product.family()) {
        case POSTGRESQL -> POSTGRESQL;
        case MYSQL -> MYSQL;
        case H2 -> H2;
        case OTHER -> null;
      };
    }
  }
}
