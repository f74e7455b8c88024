package io.outbox.jdbc;

import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.schema.Additions;
import io.outbox.jdbc.internal.schema.Ddl;
import io.outbox.jdbc.internal.schema.SchemaAccess;
import io.outbox.jdbc.internal.schema.SchemaTool;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import javax.sql.DataSource;

/**
 * Creates, checks and migrates the outbox table. The DDL it runs is in the files {@code
 * schema/outbox-*.sql} of this jar, for your migrations.
 */
public final class OutboxSchema {

  private static final Logger LOG = PrintableLogger.of(OutboxSchema.class);

  private static final Map<String, Product> PRODUCTS =
      Map.of(
          "h2", Product.H2,
          "postgresql", Product.POSTGRESQL,
          "mysql", Product.MYSQL,
          "mariadb", Product.MYSQL);

  private static final Object CREATING = new Object();

  private OutboxSchema() {}

  /** Creates the table {@code outbox_event}; see {@link #create(DataSource, String)}. */
  public static void create(DataSource dataSource) {
    create(dataSource, TableName.DEFAULT);
  }

  /**
   * Creates the table and its indexes, and the tables of {@link #createMembers}, {@link
   * #createOperator} and {@link #createSubscriptions}. Does nothing if they exist. If these cannot
   * be added to an existing outbox table, a warning says so: delivery works without them. A new
   * table has the column of {@link #createWaiting}; an existing table is not changed.
   *
   * @throws OutboxStoreException if a table of that name exists and has another shape
   */
  public static void create(DataSource dataSource, String tableName) {
    // H2 commits each statement, and another thread would see a table without its indexes.
    synchronized (CREATING) {
      createUnlessThere(dataSource, tableName);
      addOrWarn(dataSource, tableName, Addition.MEMBERS, "its nodes cannot know of each other");
      addOrWarn(dataSource, tableName, Addition.OPERATOR, "operators can look at it, but not act");
      addOrWarn(dataSource, tableName, Addition.SUBSCRIPTIONS, "it can have no subscriptions");
    }
  }

  private static void addOrWarn(
      DataSource dataSource, String tableName, Addition addition, String otherwise) {
    try {
      addIfOffered(dataSource, tableName, addition);
    } catch (OutboxStoreException e) {
      LOG.log(Level.WARNING, "outbox table " + tableName + ": " + otherwise, e);
    }
  }

  /** A foreign dialect may do without it. */
  private static void addIfOffered(DataSource dataSource, String tableName, Addition addition) {
    addBesideWriters(
        dataSource,
        tableName,
        tool -> {
          if (tool.product().offers(addition)) {
            tool.add(addition);
          }
        });
  }

  /**
   * Adds to an outbox table what the method named after an addition does; for tools.
   *
   * @throws OutboxStoreException if there is no outbox table, or the database does not offer it
   */
  public static void add(DataSource dataSource, String tableName, Addition addition) {
    Objects.requireNonNull(addition, "addition");
    addBesideWriters(dataSource, tableName, tool -> tool.add(addition));
  }

  private static void addBesideWriters(
      DataSource dataSource, String tableName, Consumer<SchemaTool> addition) {
    synchronized (CREATING) {
      access(dataSource, tableName).runBesideWriters(addition);
    }
  }

  private static void createUnlessThere(DataSource dataSource, String tableName) {
    try {
      access(dataSource, tableName).run(SchemaTool::createUnlessThere);
    } catch (OutboxStoreException e) {
      // Another node may have created it at the same moment.
      if (!isValid(dataSource, tableName)) {
        throw e;
      }
    }
  }

  private static boolean isValid(DataSource dataSource, String tableName) {
    try {
      validate(dataSource, tableName);
      return true;
    } catch (OutboxStoreException e) {
      return false;
    }
  }

  /** Checks the table {@code outbox_event}; see {@link #validate(DataSource, String)}. */
  public static void validate(DataSource dataSource) {
    validate(dataSource, TableName.DEFAULT);
  }

  /**
   * Checks that the table exists with its columns and indexes.
   *
   * @throws OutboxStoreException if not, with a message that lists all missing parts
   */
  public static void validate(DataSource dataSource, String tableName) {
    access(dataSource, tableName).run(SchemaTool::requireValid);
  }

  /** The problems that {@link #validate} would report; empty if there are none. */
  public static List<String> problems(DataSource dataSource, String tableName) {
    return access(dataSource, tableName).ask(SchemaTool::problems);
  }

  /** Missing or wrong parts of an addition; empty if there are none. */
  public static List<String> problems(DataSource dataSource, String tableName, Addition addition) {
    Objects.requireNonNull(addition, "addition");
    return access(dataSource, tableName).ask(tool -> tool.problems(addition));
  }

  /** Migrates the table {@code outbox_event}; see {@link #migrate(DataSource, String)}. */
  public static void migrate(DataSource dataSource) {
    migrate(dataSource, TableName.DEFAULT);
  }

  /**
   * Brings an older table up to date and keeps its rows; creates a missing one, and does nothing if
   * it is current. Adds the column of {@link #createWaiting} and the tables of {@link
   * #createMembers}, {@link #createOperator}, {@link #createSubscriptions} and {@link
   * #createHolds}, too: these while writers and nodes go on. Times without a zone are taken as UTC.
   * A table of a shape before 0.1.0 is locked and rewritten: stop writers first.
   */
  public static void migrate(DataSource dataSource, String tableName) {
    access(dataSource, tableName).run(SchemaTool::migrate);
    for (Addition addition : Addition.MIGRATED) {
      addIfOffered(dataSource, tableName, addition);
    }
  }

  /**
   * Adds an index on {@code created_at}, which only an age-based purger wants. Writers and nodes go
   * on meanwhile, except on H2.
   */
  public static void createAgeIndex(DataSource dataSource, String tableName) {
    access(dataSource, tableName).runBesideWriters(SchemaTool::createAgeIndex);
  }

  /** For the table {@code outbox_event}; see {@link #createOrderedByKey(DataSource, String)}. */
  public static void createOrderedByKey(DataSource dataSource) {
    createOrderedByKey(dataSource, TableName.DEFAULT);
  }

  /**
   * Adds to an outbox table the needs of {@code Outbox.orderedByKey()}: tables for lanes, nodes and
   * blocked keys, and an index by key. Adds only missing parts. On PostgreSQL writers and nodes go
   * on; elsewhere the table is rewritten and locked meanwhile.
   *
   * @throws OutboxStoreException if there is no outbox table, or existing parts do not fit
   */
  public static void createOrderedByKey(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.ORDERED_BY_KEY);
  }

  /**
   * Adds the list of nodes that deliver from an outbox table, so that nodes of different modes are
   * kept apart. Does nothing if it exists; the outbox table itself is not changed.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createMembers(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.MEMBERS);
  }

  /**
   * Adds a column to an outbox table that says since when an event waits, and its index, so that
   * the lag counts from when an event was first due, through retries and deferrals. Adds only
   * missing parts; writers and nodes go on, except on H2.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createWaiting(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.WAITING);
  }

  /** For the table {@code outbox_event}; see {@link #createOperator(DataSource, String)}. */
  public static void createOperator(DataSource dataSource) {
    createOperator(dataSource, TableName.DEFAULT);
  }

  /**
   * Adds the tables for an operator's actions: pauses and the audit. Adds only missing tables; the
   * outbox table itself is not changed.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createOperator(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.OPERATOR);
  }

  /**
   * Adds the table of subscriptions, for events with several independent listeners. Does nothing if
   * it exists; the outbox table itself is not changed.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createSubscriptions(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.SUBSCRIPTIONS);
  }

  /**
   * Adds indexes that only an operator's searches use: by aggregate id, by ordering key and by
   * time. Every insert pays a little for each. Writers and nodes go on meanwhile, except on H2 and
   * with a table in partitions.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createOperatorIndexes(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.OPERATOR_INDEXES);
  }

  /**
   * Adds the table for pauses of tenants and destinations. Does nothing if it exists; the outbox
   * table itself is not changed.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createHolds(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.HOLDS);
  }

  /**
   * Adds the table that {@link io.outbox.jdbc.archive.ArchivingPurger} moves finished events to.
   * Adds only missing parts; the outbox table itself is not changed.
   *
   * @throws OutboxStoreException if there is no outbox table
   */
  public static void createArchive(DataSource dataSource, String tableName) {
    add(dataSource, tableName, Addition.ARCHIVE);
  }

  /**
   * Creates a table in daily partitions instead, for {@code Outbox.writerOnly()} with change data
   * capture on PostgreSQL, and its partitions for the next week. Does nothing if they are there. It
   * has no indexes for delivery, an event id is unique within a day only, and {@link
   * PostgresPartitions} has to look after it.
   *
   * @throws OutboxStoreException if the database is another one, or the table is not partitioned
   */
  public static void createPartitioned(DataSource dataSource, String tableName) {
    SchemaAccess access = access(dataSource, tableName);
    Product product = access.ask(SchemaTool::product);
    if (product != Product.POSTGRESQL) {
      throw new OutboxStoreException(
          "an outbox table in partitions is for PostgreSQL only, and this is " + product);
    }
    SchemaAccess.persistently(() -> access.run(SchemaTool::createPartitioned));
    try (Connection conn = dataSource.getConnection()) {
      new PostgresPartitions(tableName).ensureAhead(conn);
      if (!conn.getAutoCommit()) {
        conn.commit();
      }
    } catch (SQLException e) {
      throw new OutboxStoreException(
          "could not create partitions of table " + tableName + ": " + e.getMessage(), e);
    }
  }

  /** The DDL of {@link #createPartitioned}, but for the partitions. */
  public static String partitionedDdl(String tableName) {
    return SchemaTool.partitionedDdl(TableName.of(tableName));
  }

  /**
   * The DDL for {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}.
   *
   * @throws IllegalArgumentException if the product is none of these
   */
  public static String ddl(String product, String tableName) {
    return Ddl.of(product(product), TableName.of(tableName)).text();
  }

  /**
   * The DDL of an addition for {@code h2}, {@code postgresql}, {@code mysql} or {@code mariadb}.
   *
   * @throws IllegalArgumentException if the product is none of these
   */
  public static String ddl(String product, String tableName, Addition addition) {
    Objects.requireNonNull(addition, "addition");
    return new Additions(product(product), TableName.of(tableName), addition).ddl();
  }

  private static Product product(String product) {
    Product known =
        PRODUCTS.get(Objects.requireNonNull(product, "product").toLowerCase(Locale.ROOT));
    if (known == null) {
      throw new IllegalArgumentException(
          "no DDL for '" + product + "'; there is one for h2, postgresql, mysql and mariadb");
    }
    return known;
  }

  private static SchemaAccess access(DataSource dataSource, String tableName) {
    return new SchemaAccess(dataSource, tableName);
  }
}
