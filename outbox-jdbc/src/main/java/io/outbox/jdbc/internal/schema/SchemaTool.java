package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.jdbc.internal.TableName;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** Looks at, creates and changes one table through one connection. */
public final class SchemaTool {

  private static final Logger LOG = PrintableLogger.named("io.outbox.jdbc.OutboxSchema");

  private final Connection conn;
  private final Product product;
  private final TableName table;
  private final Ddl ddl;
  private final StoreErrors errors;

  public SchemaTool(Connection conn, Product product, TableName table) {
    this.conn = conn;
    this.product = product;
    this.table = table;
    this.ddl = Ddl.of(product, table);
    this.errors = new StoreErrors(product, table);
  }

  public boolean tableExists() {
    return TableShape.of(conn, product, table).exists();
  }

  /** What is wrong with the table; empty if nothing is. */
  public List<String> problems() {
    return tableExists()
        ? migrations().stream().map(Migration::problem).toList()
        : List.of("the table is missing");
  }

  /** What is missing or wrong of an addition; empty if nothing is. */
  public List<String> problems(Addition addition) {
    if (!product.offers(addition)) {
      return List.of(product.withoutAddition(addition));
    }
    return addition == Addition.ORDERED_BY_KEY
        ? new OrderedSchema(product, table).problems(conn)
        : new Additions(product, table, addition).missing(conn);
  }

  /** Throws unless the table is as it should be. */
  public void requireValid() {
    List<String> problems = problems();
    if (!problems.isEmpty()) {
      throw invalid(problems);
    }
  }

  public Connection connection() {
    return conn;
  }

  public Product product() {
    return product;
  }

  /** Creates the table, or checks it. */
  public void createUnlessThere() {
    if (tableExists()) {
      requireValid();
    } else {
      create();
    }
  }

  private void create() {
    LOG.log(Level.INFO, () -> "creating outbox table " + table);
    run("create the table", ddl.statements());
    new Additions(product, table, Addition.WAITING).create(conn);
  }

  /** Makes one change after the other, each seen in the log; creates a missing table. */
  public void migrate() {
    if (!tableExists()) {
      create();
      return;
    }
    List<Migration> migrations = migrations();
    int number = 0;
    for (Migration migration : migrations) {
      String progress = ++number + " of " + migrations.size() + ": " + migration.problem();
      LOG.log(Level.INFO, () -> "migrating outbox table " + table + ", " + progress);
      run("migrate (" + migration.problem() + ")", migration.statements());
    }
    requireValid();
  }

  /**
   * For age-based purgers; there is none by default because every insert would pay for it. Without
   * a transaction.
   */
  public void createAgeIndex() {
    String name = table.derived("created");
    if (!TableShape.of(conn, product, table).indexes().contains(Ddl.lowerCase(name))) {
      new OnlineChange(conn, product, errors)
          .run("CREATE INDEX " + name + " ON " + table + " (created_at)");
    }
  }

  /** Creates the table in daily partitions, unless it is there. */
  public void createPartitioned() {
    DailyPartitions partitions = new DailyPartitions(table);
    if (!tableExists()) {
      LOG.log(Level.INFO, () -> "creating partitioned outbox table " + table);
      run("create the table", DdlFile.statements(partitionedDdl(table)));
    }
    partitions.requirePartitioned(conn);
  }

  /** The whole file. */
  public static String partitionedDdl(TableName table) {
    return DdlFile.text("schema/outbox-postgresql-partitioned.sql", table);
  }

  /** Creates the table in partitions by seq, unless there is a table of that name. */
  public void createRotated() {
    if (!tableExists()) {
      LOG.log(Level.INFO, () -> "creating outbox table " + table + " in partitions by seq");
      run("create the table", DdlFile.statements(rotatedDdl(table)));
    }
  }

  /** The whole file. */
  public static String rotatedDdl(TableName table) {
    return DdlFile.text("schema/outbox-postgresql-rotated.sql", table);
  }

  /** Adds what is not there, without a transaction. */
  public void add(Addition addition) {
    if (!product.offers(addition)) {
      throw new OutboxStoreException(
          "table %s cannot have %s: %s"
              .formatted(table, addition, product.withoutAddition(addition)));
    }
    if (!tableExists()) {
      requireValid();
    }
    List<String> problems = problems(addition);
    if (problems.isEmpty()) {
      return;
    }
    LOG.log(
        Level.INFO, () -> "adding %s to outbox table %s: %s".formatted(addition, table, problems));
    new Additions(product, table, addition).addOnline(conn);
    List<String> left = problems(addition);
    if (!left.isEmpty()) {
      throw new OutboxStoreException(
          "%s is impossible with table %s: %s".formatted(addition, table, String.join("; ", left)));
    }
  }

  /** Says what is wrong with the table. */
  private OutboxStoreException invalid(List<String> problems) {
    return new OutboxStoreException(
        "the outbox table %s is not as it should be: %s. %s"
            .formatted(
                table, String.join("; ", problems), StoreErrors.whereTheDdlIs(product, table)));
  }

  private List<Migration> migrations() {
    return new Migrations(product, table, ddl, TableShape.of(conn, product, table)).needed();
  }

  private void run(String action, List<String> statements) {
    try (Statement statement = conn.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw errors.describe(action, e);
    }
  }
}
