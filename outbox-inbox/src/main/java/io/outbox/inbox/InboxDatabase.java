package io.outbox.inbox;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** What differs between the databases. */
enum InboxDatabase {
  H2("h2"),
  POSTGRESQL("postgresql"),
  /** MariaDB too. */
  MYSQL("mysql");

  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  private final String file;

  InboxDatabase(String file) {
    this.file = file;
  }

  static InboxDatabase of(Connection conn) throws SQLException {
    return named(conn.getMetaData().getDatabaseProductName());
  }

  /**
   * Finds it by the name of a product.
   *
   * @throws IllegalArgumentException if it is none of these
   */
  static InboxDatabase named(String product) {
    return switch (product.toLowerCase(Locale.ROOT)) {
      case "h2" -> H2;
      case "postgresql" -> POSTGRESQL;
      case "mysql", "mariadb" -> MYSQL;
      default ->
          throw new IllegalArgumentException(
              "no inbox for '" + product + "'; there is one for h2, postgresql, mysql and mariadb");
    };
  }

  /** Where the DDL is on the class path. */
  String ddlResource() {
    return "schema/inbox/" + file + ".sql";
  }

  /**
   * PostgreSQL would not go on with a transaction in which a key turned out to exist. Elsewhere the
   * statement alone fails, and IGNORE would hide other errors too.
   */
  String onDuplicate() {
    return this == POSTGRESQL ? " ON CONFLICT DO NOTHING" : "";
  }

  /** What to bind for an instant; drivers convert a DATETIME by their own, but not a text. */
  Object parameter(Instant instant) {
    OffsetDateTime utc = instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    return this == MYSQL ? DATETIME.format(utc) : utc;
  }
}
