package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.model.EventKey;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;

/** Looks at what order by key needs besides the outbox table. */
public final class OrderedSchema {

  /** How keys are divided among lanes; in the database it must be the same. */
  private static final String DIVISION = "md5-" + EventKey.LANES;

  private final Product product;
  private final TableName table;
  private final Additions additions;
  private final JdbcTemplate jdbc;

  public OrderedSchema(Product product, TableName table) {
    this.product = product;
    this.table = table;
    this.additions = new Additions(product, table, Addition.ORDERED_BY_KEY);
    this.jdbc =
        new StoreErrors(product, table, Addition.ORDERED_BY_KEY).template("prepare order by key");
  }

  /** What is missing or does not agree; empty if nothing. */
  public List<String> problems(Connection conn) {
    List<String> problems = new ArrayList<>(additions.missing(conn));
    if (problems.isEmpty()) {
      problems.addAll(lanes(conn));
      problems.addAll(encoding(conn));
    }
    return problems;
  }

  private List<String> lanes(Connection conn) {
    Map<Integer, String> lanes = new TreeMap<>();
    TableName laneTable = table.sibling("lane");
    jdbc.query(
        conn,
        "SELECT lane, division FROM " + laneTable,
        row -> lanes.put(row.getInt(1), row.getString(2)));
    List<String> others =
        lanes.values().stream().filter(division -> !division.equals(DIVISION)).distinct().toList();
    if (!others.isEmpty()) {
      return List.of(
          "keys are divided among lanes by %s in table %s, but by %s in this version of the library"
              .formatted(String.join(" and ", others), laneTable, DIVISION));
    }
    List<Integer> expected = IntStream.range(0, EventKey.LANES).boxed().toList();
    return expected.equals(List.copyOf(lanes.keySet()))
        ? List.of()
        : List.of(
            "table %s must have the lanes 0 to %s, and has %s"
                .formatted(laneTable, EventKey.LANES - 1, lanes.keySet()));
  }

  /** Elsewhere the columns say how they are encoded. */
  private List<String> encoding(Connection conn) {
    if (product != Product.POSTGRESQL) {
      return List.of();
    }
    String sql = "SELECT current_setting('server_encoding')";
    String encoding = jdbc.query(conn, sql, row -> row.getString(1)).get(0);
    return encoding.equals("UTF8")
        ? List.of()
        : List.of("the database is encoded in " + encoding + ", and lanes need UTF8");
  }
}
