package io.outbox.jdbc.internal.schema;

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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** What order by key needs besides the outbox table: looks for it, and adds what is missing. */
public final class OrderedSchema {

  /** How keys are divided among lanes; in the database it must be the same. */
  private static final String DIVISION = "md5-" + EventKey.LANES;

  private static final Pattern CREATED =
      Pattern.compile("CREATE (TABLE|INDEX) ([\\w.]+)|ALTER TABLE \\S+\\s+ADD (COLUMN) (\\w+)");

  private final Product product;
  private final TableName table;
  private final String text;
  private final JdbcTemplate jdbc;

  public OrderedSchema(Product product, TableName table) {
    this.product = product;
    this.table = table;
    this.text = DdlFile.text(product.orderedDdlResource(), table);
    this.jdbc = StoreErrors.orderedByKey(product, table).template("prepare order by key");
  }

  /** The whole file. */
  public String ddl() {
    return text;
  }

  /** Adds what is missing; the table itself must be there. */
  public void create(Connection conn) {
    TableShape shape = TableShape.of(conn, product, table);
    for (String statement : DdlFile.statements(text)) {
      if (!isThere(conn, shape, statement)) {
        jdbc.update(conn, statement);
      }
    }
  }

  /** What is missing or does not agree; empty if nothing. */
  public List<String> problems(Connection conn) {
    TableShape shape = TableShape.of(conn, product, table);
    if (!shape.exists()) {
      return List.of("the table is missing");
    }
    List<String> problems = new ArrayList<>();
    for (String statement : DdlFile.statements(text)) {
      Matcher created = CREATED.matcher(statement);
      if (created.lookingAt() && !isThere(conn, shape, statement)) {
        problems.add(kind(created) + " " + name(created) + " is missing");
      }
    }
    if (problems.isEmpty()) {
      problems.addAll(lanes(conn));
      problems.addAll(encoding(conn));
    }
    return problems;
  }

  /** Inserts of lanes pass over those that are there. */
  private boolean isThere(Connection conn, TableShape shape, String statement) {
    Matcher created = CREATED.matcher(statement);
    if (!created.lookingAt()) {
      return false;
    }
    String name = Ddl.lowerCase(name(created));
    return switch (kind(created)) {
      case "table" -> TableShape.of(conn, product, TableName.any(name(created))).exists();
      case "index" -> shape.indexes().contains(name);
      default -> shape.has(name);
    };
  }

  private static String kind(Matcher created) {
    return Ddl.lowerCase(created.group(1) == null ? created.group(3) : created.group(1));
  }

  private static String name(Matcher created) {
    return created.group(2) == null ? created.group(4) : created.group(2);
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
            "table %s must have the lanes 0 to %d, and has %s"
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
