package io.outbox.jdbc.internal.schema;

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

  /** What is missing or wrong for order by key; empty if nothing is. */
  public List<String> orderedByKeyProblems() {
    return new OrderedSchema(product, table).problems(conn);
  }

  /** What is missing of the tables for an operator; empty if nothing is. */
  public List<String> operatorProblems() {
    return new OperatorSchema(product, table).missing(conn);
  }

  /** What is missing of the list of nodes; empty if nothing is. */
  public List<String> memberProblems() {
    return new MemberSchema(product, table).missing(conn);
  }

  /** What is missing to know since when events wait; empty if nothing is. */
  public List<String> waitingProblems() {
    return new WaitingSchema(product, table).missing(conn);
  }

  /** What is missing of the indexes for an operator; empty if nothing is. */
  public List<String> operatorIndexesProblems() {
    return new OperatorSchema(product, table).missingIndexes(conn);
  }

  public void create() {
    LOG.log(Level.INFO, () -> "creating outbox table " + table);
    run("create the table", ddl.statements());
    new WaitingSchema(product, table).create(conn);
  }

  /** Makes one change after the other; each can be seen in the log. */
  public void migrate() {
    List<Migration> migrations = migrations();
    int number = 0;
    for (Migration migration : migrations) {
      String progress = ++number + " of " + migrations.size() + ": " + migration.problem();
      LOG.log(Level.INFO, () -> "migrating outbox table " + table + ", " + progress);
      run("migrate (" + migration.problem() + ")", migration.statements());
    }
  }

  /** For age-based purgers; there is none by default because every insert would pay for it. */
  public void createAgeIndex() {
    String name = table.derived("created");
    if (!TableShape.of(conn, product, table).indexes().contains(Ddl.lowerCase(name))) {
      run("create an index", List.of("CREATE INDEX " + name + " ON " + table + " (created_at)"));
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

  /** Adds what order by key needs and is not there. */
  public void createOrderedByKey() {
    if (!tableExists()) {
      throw invalid(problems());
    }
    OrderedSchema ordered = new OrderedSchema(product, table);
    if (!ordered.problems(conn).isEmpty()) {
      LOG.log(Level.INFO, () -> "preparing outbox table " + table + " for order by key");
      ordered.create(conn);
      List<String> problems = ordered.problems(conn);
      if (!problems.isEmpty()) {
        throw new OutboxStoreException(
            "order by key is impossible with table " + table + ": " + String.join("; ", problems));
      }
    }
  }

  /** Adds the tables that an operator needs and that are not there. */
  public void createOperator() {
    if (!tableExists()) {
      throw invalid(problems());
    }
    OperatorSchema operator = new OperatorSchema(product, table);
    List<String> missing = operator.missing(conn);
    if (!missing.isEmpty()) {
      LOG.log(Level.INFO, () -> "preparing outbox table " + table + " for an operator: " + missing);
      operator.create(conn);
    }
  }

  /** Adds the list of nodes, unless it is there. */
  public void createMembers() {
    if (!tableExists()) {
      throw invalid(problems());
    }
    MemberSchema members = new MemberSchema(product, table);
    if (!members.missing(conn).isEmpty()) {
      LOG.log(Level.INFO, () -> "adding the list of nodes to outbox table " + table);
      members.create(conn);
    }
  }

  /** Adds the column that says since when an event waits, unless it is there. */
  public void createWaiting() {
    if (!tableExists()) {
      throw invalid(problems());
    }
    WaitingSchema waiting = new WaitingSchema(product, table);
    if (!waiting.missing(conn).isEmpty()) {
      LOG.log(Level.INFO, () -> "adding since when events wait to outbox table " + table);
      waiting.create(conn);
    }
  }

  /** Adds the indexes that only an operator uses and that are not there. */
  public void createOperatorIndexes() {
    if (!tableExists()) {
      throw invalid(problems());
    }
    new OperatorSchema(product, table).createIndexes(conn);
  }

  /** Says what is wrong with the table. */
  public OutboxStoreException invalid(List<String> problems) {
    return new OutboxStoreException(
        "the outbox table "
            + table
            + " is not as it should be: "
            + String.join("; ", problems)
            + ". "
            + StoreErrors.whereTheDdlIs(product, table));
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
