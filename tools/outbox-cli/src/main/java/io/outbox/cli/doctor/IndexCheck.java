package io.outbox.cli.doctor;

import java.util.List;

/** Whether the database may use the indexes that are there. */
final class IndexCheck implements Check {

  private static final String POSTGRES =
      """
      SELECT i.indexrelid::regclass::text FROM pg_index i
      WHERE i.indrelid = to_regclass(?) AND NOT (i.indisvalid AND i.indisready)
      """;

  private static final String MYSQL_FAMILY =
      """
      SELECT DISTINCT index_name FROM information_schema.statistics
      WHERE CONCAT(table_schema, '.', table_name) IN (?, CONCAT(DATABASE(), '.', ?))
        AND %s
      """;

  @Override
  public String name() {
    return "indexes";
  }

  @Override
  public List<Finding> examine(Examination examination) {
    List<String> unusable = unusable(examination);
    if (unusable.isEmpty()) {
      return List.of(Finding.ok(name(), "all indexes can be used"));
    }
    return unusable.stream().map(index -> finding(examination, index)).toList();
  }

  private static List<String> unusable(Examination examination) {
    String table = examination.table();
    return switch (examination.database()) {
      case POSTGRESQL -> examination.query(POSTGRES, row -> row.getString(1), table);
      case MARIADB ->
          examination.query(
              MYSQL_FAMILY.formatted("ignored = 'YES'"), row -> row.getString(1), table, table);
      case MYSQL ->
          examination.query(
              MYSQL_FAMILY.formatted("is_visible = 'NO'"), row -> row.getString(1), table, table);
      case H2 -> List.of();
    };
  }

  private Finding finding(Examination examination, String index) {
    String table = examination.table();
    String todo =
        switch (examination.database()) {
          case MARIADB -> "ALTER TABLE " + table + " ALTER INDEX " + index + " NOT IGNORED;";
          case MYSQL -> "ALTER TABLE " + table + " ALTER INDEX " + index + " VISIBLE;";
          default -> "REINDEX INDEX CONCURRENTLY " + index + ";";
        };
    return Finding.problem(
        name(),
        "index " + index + " exists, but the database does not use it",
        "it slows down writes and helps no query; on PostgreSQL, a CREATE INDEX CONCURRENTLY that"
            + " failed leaves such an index",
        todo);
  }
}
