package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A family of databases that share one schema, and how instants go in and out of it. */
public enum Product {
  H2("schema/outbox-h2.sql", "h2"),
  POSTGRESQL("schema/outbox-postgresql.sql", "postgresql"),
  /** MariaDB and TiDB too. */
  MYSQL("schema/outbox-mysql.sql", "mysql", "mariadb", "tidb");

  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private final String ddlResource;
  private final Set<String> names;

  Product(String ddlResource, String... names) {
    this.ddlResource = ddlResource;
    this.names = Set.of(names);
  }

  /**
   * Which product a connection leads to; empty if it is none of these.
   *
   * @throws io.outbox.jdbc.OutboxStoreException if it only looks like one of these
   */
  public static Optional<Product> of(DatabaseMetaData database) throws SQLException {
    for (Product product : values()) {
      if (product.isOf(database)) {
        return Optional.of(product);
      }
    }
    return Optional.empty();
  }

  /** As {@link #of}. */
  public boolean isOf(DatabaseMetaData database) throws SQLException {
    boolean named = names.contains(database.getDatabaseProductName().toLowerCase(Locale.ROOT));
    if (named && this == POSTGRESQL) {
      SupportedPostgres.require(database.getConnection());
    }
    return named;
  }

  /** Where the DDL is on the class path. */
  public String ddlResource() {
    return ddlResource;
  }

  /** The database's time, an expression of the type of the columns. */
  public String currentTime() {
    return switch (this) {
      case H2 -> "CURRENT_TIMESTAMP(6)";
      case POSTGRESQL -> "clock_timestamp()";
      case MYSQL -> "UTC_TIMESTAMP(6)";
    };
  }

  /** Asks for the time. */
  public String currentTimeSql() {
    return "SELECT " + currentTime();
  }

  /** The placeholder for what {@link #parameter} returns where nothing else tells its type. */
  public String instantPlaceholder() {
    return this == MYSQL ? "CAST(? AS DATETIME(6))" : "CAST(? AS TIMESTAMP(6) WITH TIME ZONE)";
  }

  /**
   * What to bind for an instant. DATETIME knows no zone and drivers convert by their own, or cut
   * the microseconds of a server whose version they misread: there a text in UTC goes in as it is.
   * The others take an instant whatever the zone of the session. Databases round beyond
   * microseconds, and an instant must not move into the future.
   */
  public Object parameter(Instant instant) {
    if (instant == null) {
      return null;
    }
    OffsetDateTime utc = instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    return this == MYSQL ? DATETIME.format(utc) : utc;
  }

  /** Of what {@link #parameter} returns. */
  public Class<?> parameterType() {
    return this == MYSQL ? String.class : OffsetDateTime.class;
  }

  /** What to bind for an instant before all others. */
  public Object beginningOfTime() {
    return switch (this) {
      case H2 -> LocalDateTime.of(1, 1, 1, 0, 0).atOffset(ZoneOffset.UTC);
      case POSTGRESQL -> OffsetDateTime.MIN;
      case MYSQL -> "0001-01-01 00:00:00.000000";
    };
  }

  /**
   * To be called first in a transaction. At MySQL's default isolation a locking read locks the gaps
   * between rows too, and inserts wait for claims; this is for the next transaction only.
   */
  public void prepareTransaction(Connection conn) throws SQLException {
    if (this == MYSQL) {
      try (Statement statement = conn.createStatement()) {
        statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
      }
    }
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
    if (this == MYSQL) {
      LocalDateTime utc = row.getObject(column, LocalDateTime.class);
      return utc == null ? null : utc.toInstant(ZoneOffset.UTC);
    }
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }
}
