package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Adds tables, columns and indexes to what there is for an outbox table. */
public final class Additions {

  private static final Pattern CREATED =
      Pattern.compile("CREATE (TABLE|INDEX) ([\\w.]+)|ALTER TABLE \\S+\\s+ADD (COLUMN) (\\w+)");

  /** The table of an index. */
  private static final Pattern INDEXED = Pattern.compile("CREATE INDEX \\w+ ON ([\\w.]+)");

  private final Product product;
  private final TableName table;
  private final String text;
  private final StoreErrors errors;
  private final JdbcTemplate jdbc;

  public Additions(Product product, TableName table, Addition addition) {
    this.product = product;
    this.table = table;
    this.text = DdlFile.text(product, addition, table);
    this.errors = new StoreErrors(product, table, addition);
    this.jdbc = errors.template("add " + addition);
  }

  /** The whole file. */
  public String ddl() {
    return text;
  }

  /** Adds what is missing to a table that was just created. */
  void create(Connection conn) {
    add(conn, statement -> jdbc.update(conn, statement));
  }

  /** Adds what is missing, beside others who use the table; without a transaction. */
  void addOnline(Connection conn) {
    add(conn, new OnlineChange(conn, product, errors)::run);
  }

  private void add(Connection conn, Consumer<String> run) {
    TableShape shape = TableShape.of(conn, product, table);
    for (String statement : DdlFile.statements(text)) {
      if (!isThere(conn, shape, statement)) {
        run.accept(statement);
      }
    }
  }

  /** What is missing, in words; empty if nothing. */
  public List<String> missing(Connection conn) {
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
    return problems;
  }

  /** Whether its tables are there, whatever their indexes. */
  public boolean hasTables(Connection conn) {
    TableShape shape = TableShape.of(conn, product, table);
    return DdlFile.statements(text).stream()
        .filter(statement -> statement.startsWith("CREATE TABLE"))
        .allMatch(statement -> isThere(conn, shape, statement));
  }

  /** Inserts pass over what is there. */
  private boolean isThere(Connection conn, TableShape shape, String statement) {
    Matcher created = CREATED.matcher(statement);
    if (!created.lookingAt()) {
      return false;
    }
    String name = Ddl.lowerCase(name(created));
    return switch (kind(created)) {
      case "table" -> TableShape.of(conn, product, TableName.any(name(created))).exists();
      case "index" -> indexed(conn, shape, statement).indexes().contains(name);
      default -> shape.has(name);
    };
  }

  /** The outbox table, or a table beside it. */
  private TableShape indexed(Connection conn, TableShape shape, String statement) {
    Matcher indexed = INDEXED.matcher(statement);
    return indexed.lookingAt() && !indexed.group(1).equals(table.toString())
        ? TableShape.of(conn, product, TableName.any(indexed.group(1)))
        : shape;
  }

  private static String kind(Matcher created) {
    return Ddl.lowerCase(created.group(1) == null ? created.group(3) : created.group(1));
  }

  private static String name(Matcher created) {
    return created.group(2) == null ? created.group(4) : created.group(2);
  }
}
