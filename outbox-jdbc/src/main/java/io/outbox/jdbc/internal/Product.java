package io.outbox.jdbc.internal;

import io.outbox.jdbc.Addition;
import io.outbox.jdbc.internal.dialect.DialectChecks;
import io.outbox.jdbc.internal.dialect.Dialects;
import io.outbox.jdbc.internal.dialect.H2Dialect;
import io.outbox.jdbc.internal.dialect.MySqlDialect;
import io.outbox.jdbc.internal.dialect.PostgresDialect;
import io.outbox.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A family of databases that share one schema, and its dialect. Statements that only one of our own
 * databases has ask which one it is; everything else asks the dialect.
 */
public final class Product {

  /** Which statements a database takes beyond its dialect. */
  public enum Family {
    H2,
    POSTGRESQL,
    MYSQL,
    /** Known by its dialect alone. */
    OTHER
  }

  public static final Product H2 = new Product(Family.H2, new H2Dialect());
  public static final Product POSTGRESQL = new Product(Family.POSTGRESQL, new PostgresDialect());

  /** MariaDB and TiDB too. */
  public static final Product MYSQL = new Product(Family.MYSQL, new MySqlDialect());

  private static final List<Product> OURS = List.of(H2, POSTGRESQL, MYSQL);
  private static final Instant FIRST = Instant.parse("0001-01-01T00:00:00Z");

  private final Family family;
  private final Dialect dialect;

  private Product(Family family, Dialect dialect) {
    this.family = family;
    this.dialect = dialect;
  }

  /**
   * A database that is known by its dialect alone.
   *
   * @throws IllegalArgumentException if the dialect contradicts itself
   */
  public static Product of(Dialect dialect) {
    DialectChecks.check(Objects.requireNonNull(dialect, "dialect"), EventColumns.ALL);
    return new Product(Family.OTHER, dialect);
  }

  /**
   * Which product a connection leads to; empty if nobody knows it.
   *
   * @throws io.outbox.jdbc.OutboxStoreException if it only looks like one of ours
   */
  public static Optional<Product> of(DatabaseMetaData database) throws SQLException {
    Optional<Dialect> foreign = Dialects.of(database);
    if (foreign.isPresent()) {
      return foreign.map(Product::of);
    }
    for (Product product : OURS) {
      if (product.isOf(database)) {
        return Optional.of(product);
      }
    }
    return Optional.empty();
  }

  /** As {@link #of}. */
  public boolean isOf(DatabaseMetaData database) throws SQLException {
    return dialect.supports(database);
  }

  public Family family() {
    return family;
  }

  /** Where the DDL is on the class path, for a database of ours. */
  public String ddlResource() {
    return switch (family) {
      case H2 -> "schema/outbox-h2.sql";
      case POSTGRESQL -> "schema/outbox-postgresql.sql";
      case MYSQL -> "schema/outbox-mysql.sql";
      case OTHER -> throw new IllegalStateException("the DDL is the dialect's");
    };
  }

  /** Where the DDL of an addition is on the class path, for a database of ours. */
  public String ddlResource(Addition addition) {
    return ddlResource().replace(".sql", "-" + addition.file() + ".sql");
  }

  /** Where the DDL is, in words. */
  public String whereTheDdlIs() {
    return family == Family.OTHER
        ? "ddl() of the dialect " + this
        : ddlResource() + " in the outbox-jdbc jar";
  }

  /** Whether a table can have an addition; that of foreign dialects has its marks from birth. */
  public boolean offers(Addition addition) {
    return family != Family.OTHER || addition == Addition.WAITING || isOf(addition, dialect.ddl());
  }

  /**
   * Whether a statement of a foreign dialect's DDL belongs to an addition, and not to the outbox
   * table.
   */
  public static boolean isOf(Addition addition, String statement) {
    return switch (addition) {
      case MEMBERS -> statement.contains("outbox_event_member");
      case SUBSCRIPTIONS -> statement.contains("outbox_event_subscription");
      default -> false;
    };
  }

  /** What is wrong with an addition that is not offered. */
  public String withoutAddition(Addition addition) {
    return "the dialect %s does not offer %s".formatted(this, addition);
  }

  /** The DDL of a dialect that is not ours. */
  public String foreignDdl() {
    return dialect.ddl();
  }

  /** Limits a SELECT to as many rows as its last parameter says. */
  public String limit() {
    return " " + dialect.limit();
  }

  public String limit(int rows) {
    return limit().replace("?", String.valueOf(rows));
  }

  /** Locks the rows of a SELECT; empty if there is no such clause. */
  public String lockRows() {
    return dialect.lockRows().isEmpty() ? "" : " " + dialect.lockRows();
  }

  /** Ends a SELECT that reads no table. */
  public String fromNoTable() {
    return dialect.fromNoTable().isEmpty() ? "" : " " + dialect.fromNoTable();
  }

  public String textLength(String column) {
    return dialect.textLength(column);
  }

  public String binaryLength(String column) {
    return dialect.binaryLength(column);
  }

  public String jsonParameter() {
    return dialect.jsonParameter();
  }

  public int rowsPerInsert() {
    return dialect.rowsPerInsert();
  }

  public boolean isDuplicateKey(SQLException e) {
    return dialect.isDuplicateKey(e);
  }

  /** The database's time, an expression of the type of the columns. */
  public String currentTime() {
    return dialect.currentTime();
  }

  /** Asks for the time. */
  public String currentTimeSql() {
    return "SELECT " + currentTime() + fromNoTable();
  }

  /** The placeholder for what {@link #parameter} returns where nothing else tells its type. */
  public String instantPlaceholder() {
    return dialect.instantParameter();
  }

  /**
   * What to bind for an instant, whatever the zone of the session; null for null. Databases round
   * beyond microseconds, and an instant must not move into the future.
   */
  public Object parameter(Instant instant) {
    return instant == null ? null : dialect.toParameter(instant);
  }

  /** Of what {@link #parameter} returns. */
  public Class<?> parameterType() {
    return dialect.toParameter(Instant.EPOCH).getClass();
  }

  /** What to bind for an instant before all others. */
  public Object beginningOfTime() {
    return this == POSTGRESQL ? OffsetDateTime.MIN : parameter(FIRST);
  }

  /** To be called first in a transaction; it is for the next transaction only. */
  public void prepareTransaction(Connection conn) throws SQLException {
    dialect.prepareTransaction(conn);
  }

  /**
   * Whether several reads belong into a transaction, for the settings that it has. On MySQL there
   * are none, and a transaction that its node left open would keep every change of the table
   * waiting, and all who come after that.
   */
  public boolean readsInTransaction() {
    return this != MYSQL;
  }

  /** Reads what {@link #parameter} wrote. */
  public Instant instant(ResultSet row, int column) throws SQLException {
    return dialect.readInstant(row, column);
  }

  /** The name of a family of ours, or of a dialect. */
  @Override
  public String toString() {
    return family == Family.OTHER ? dialect.getClass().getName() : family.name();
  }
}
