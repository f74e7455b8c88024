package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds out what has to be done to a table, from what it looks like: there are no version numbers,
 * so an interrupted migration goes on where it stopped. A later version adds a column to the DDL
 * file and nothing here, or, for what exists but is different, another case of {@link #changes}.
 */
final class Migrations {

  /** Of the first schema; the indexes of pending rows replace it. */
  private static final String OLD_INDEX = "idx_status_available";

  /** Of MySQL and of MariaDB; TiDB has no other than the last. */
  private static final Set<String> EXACT_COLLATIONS =
      Set.of("utf8mb4_0900_bin", "utf8mb4_nopad_bin", "utf8mb4_bin");

  private static final List<String> TIMES =
      List.of("available_at", "created_at", "done_at", "locked_at");
  private static final List<String> DOCUMENTS = List.of("payload", "headers");

  private final Product product;
  private final TableName table;
  private final Ddl ddl;
  private final TableShape shape;

  Migrations(Product product, TableName table, Ddl ddl, TableShape shape) {
    this.product = product;
    this.table = table;
    this.ddl = ddl;
    this.shape = shape;
  }

  /** In the order in which they are to be made; empty if the table is as it should be. */
  List<Migration> needed() {
    if (product.family() == Product.Family.OTHER) {
      return missing();
    }
    List<Migration> needed = new ArrayList<>(changes());
    needed.addAll(numbering());
    if (product == Product.POSTGRESQL && !shape.has("seq") && ddl.options() != null) {
      needed.add(
          new Migration(
              "the table has no storage parameters", "ALTER TABLE %s SET " + ddl.options()));
    }
    needed.addAll(additions());
    if (shape.indexes().contains(OLD_INDEX)) {
      needed.add(new Migration("index " + OLD_INDEX + " is of no use any more", dropOldIndex()));
    }
    return needed.stream().map(this::forTable).toList();
  }

  private Migration forTable(Migration migration) {
    return new Migration(
        migration.problem(),
        migration.statements().stream().map(sql -> sql.replace("%s", table.toString())).toList());
  }

  private List<Migration> changes() {
    List<Migration> changes = new ArrayList<>();
    if (product == Product.MYSQL && !EXACT_COLLATIONS.contains(collation("event_id"))) {
      changes.add(
          new Migration(
              "texts are compared by " + collation("event_id") + ", which is not exact",
              "ALTER TABLE %s CONVERT TO CHARACTER SET utf8mb4 /*!80017 COLLATE utf8mb4_0900_bin */"
                  + " /*M!100600 COLLATE utf8mb4_nopad_bin */"));
    }
    TIMES.stream().filter(this::isTimeWithoutZone).map(this::addZone).forEach(changes::add);
    DOCUMENTS.stream().filter(this::isReformatted).map(this::makeText).forEach(changes::add);
    if (shape.has("payload") && !shape.columns().get("payload").nullable()) {
      changes.add(
          new Migration(
              "column payload is NOT NULL, so there can be no payload_bytes",
              product == Product.MYSQL
                  ? "ALTER TABLE %s MODIFY COLUMN " + ddl.columns().get("payload")
                  : "ALTER TABLE %s ALTER COLUMN payload DROP NOT NULL"));
    }
    return changes;
  }

  private String collation(String column) {
    return shape.has(column) ? String.valueOf(shape.columns().get(column).collation()) : "";
  }

  private boolean isTimeWithoutZone(String column) {
    String type = shape.type(column);
    return product != Product.MYSQL
        && type.startsWith("timestamp")
        && !type.endsWith("with time zone");
  }

  /** What had no zone was written in UTC. */
  private Migration addZone(String column) {
    String problem = "column " + column + " has no time zone";
    if (product == Product.POSTGRESQL) {
      return new Migration(
          problem,
          "ALTER TABLE %s ALTER COLUMN "
              + column
              + " TYPE TIMESTAMPTZ(6) USING "
              + column
              + " AT TIME ZONE 'UTC'");
    }
    return new Migration(
        problem,
        "SET TIME ZONE 'UTC'",
        "ALTER TABLE %s ALTER COLUMN " + column + " SET DATA TYPE TIMESTAMP(6) WITH TIME ZONE",
        "SET TIME ZONE LOCAL");
  }

  /** MariaDB's JSON is text already. */
  private boolean isReformatted(String column) {
    return Set.of("json", "jsonb").contains(shape.type(column))
        && !(product == Product.POSTGRESQL && shape.type(column).equals("json"));
  }

  private Migration makeText(String column) {
    String problem =
        "column " + column + " is of type " + shape.type(column) + ", which rewrites it";
    return switch (product.family()) {
      case POSTGRESQL ->
          new Migration(
              problem,
              "ALTER TABLE %s ALTER COLUMN " + column + " TYPE JSON USING " + column + "::json");
      case MYSQL ->
          new Migration(problem, "ALTER TABLE %s MODIFY COLUMN " + ddl.columns().get(column));
      case H2, OTHER ->
          new Migration(
              problem,
              "ALTER TABLE %s ALTER COLUMN " + column + " SET DATA TYPE CHARACTER LARGE OBJECT");
    };
  }

  private boolean isNumbered() {
    return shape.has("seq") && shape.columns().get("seq").numbered();
  }

  /** Rows that are there are numbered in the order in which they were created. */
  private List<Migration> numbering() {
    if (isNumbered()) {
      return List.of();
    }
    List<String> statements = new ArrayList<>();
    if (!shape.has("seq")) {
      statements.add("ALTER TABLE %s ADD COLUMN seq BIGINT");
    }
    String numbered =
        "(SELECT event_id, ROW_NUMBER() OVER (ORDER BY created_at, event_id) AS n FROM %s) s";
    statements.addAll(numbering(numbered));
    return List.of(new Migration("column seq, numbered by the database, is missing", statements));
  }

  private List<String> numbering(String numbered) {
    String seq = ddl.columns().get("seq");
    return switch (product.family()) {
      case POSTGRESQL ->
          List.of(
              "UPDATE %s e SET seq = s.n FROM " + numbered + " WHERE s.event_id = e.event_id",
              "ALTER TABLE %s ALTER COLUMN seq SET NOT NULL",
              "ALTER TABLE %s ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY",
              "SELECT setval(pg_get_serial_sequence('%s', 'seq'),"
                  + " (SELECT coalesce(max(seq), 0) + 1 FROM %s), false)");
      case MYSQL ->
          List.of(
              "UPDATE %s e JOIN " + numbered + " ON s.event_id = e.event_id SET e.seq = s.n",
              "ALTER TABLE %s MODIFY COLUMN "
                  + seq
                  + ", ADD UNIQUE KEY "
                  + table.derived("seq")
                  + " (seq)");
      case H2, OTHER ->
          List.of(
              "MERGE INTO %s e USING "
                  + numbered
                  + " ON s.event_id = e.event_id WHEN MATCHED THEN UPDATE SET seq = s.n",
              "ALTER TABLE %s ALTER COLUMN " + seq,
              "ALTER TABLE %s ALTER COLUMN seq RESTART WITH"
                  + " (SELECT COALESCE(MAX(seq), 0) + 1 FROM %s)");
    };
  }

  /** Whatever the DDL file has and the table has not. */
  private List<Migration> additions() {
    List<Migration> additions = new ArrayList<>();
    for (Map.Entry<String, String> column : ddl.columns().entrySet()) {
      if (!shape.has(column.getKey()) && !column.getKey().equals("seq")) {
        additions.add(
            new Migration(
                "column " + column.getKey() + " is missing",
                "ALTER TABLE %s ADD COLUMN " + column.getValue()));
      }
    }
    for (Map.Entry<String, String> check : ddl.checks().entrySet()) {
      if (!shape.checks().contains(check.getKey())) {
        additions.add(
            new Migration(
                "constraint " + check.getKey() + " is missing",
                "ALTER TABLE %s ADD " + check.getValue()));
      }
    }
    for (Map.Entry<String, String> index : ddl.indexes().entrySet()) {
      boolean comesWithSeq = index.getKey().equals(Ddl.lowerCase(table.derived("seq")));
      if (!shape.indexes().contains(index.getKey()) && !(comesWithSeq && !isNumbered())) {
        additions.add(new Migration("index " + index.getKey() + " is missing", index.getValue()));
      }
    }
    return additions;
  }

  /** A table of a foreign dialect has no history, and only its owner knows how to change it. */
  private List<Migration> missing() {
    return additions().stream()
        .filter(addition -> !addition.problem().startsWith("constraint"))
        .map(addition -> new Migration(addition.problem(), List.of()))
        .toList();
  }

  private String dropOldIndex() {
    if (product == Product.MYSQL) {
      return "DROP INDEX " + OLD_INDEX + " ON %s";
    }
    return "DROP INDEX " + (table.schema() == null ? "" : table.schema() + ".") + OLD_INDEX;
  }
}
