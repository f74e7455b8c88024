package io.outbox.cli.doctor;

import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/** The products that checks know apart. */
enum Database {
  H2,
  POSTGRESQL,
  MARIADB,
  MYSQL;

  static Database of(DatabaseMetaData database) throws SQLException {
    String name = database.getDatabaseProductName().toLowerCase(Locale.ROOT);
    if (name.equals("postgresql")) {
      return POSTGRESQL;
    } else if (name.equals("h2")) {
      return H2;
    }
    // The driver of MySQL calls MariaDB by its own name.
    String version = database.getDatabaseProductVersion().toLowerCase(Locale.ROOT);
    return name.contains("mariadb") || version.contains("mariadb") ? MARIADB : MYSQL;
  }

  boolean isMySqlFamily() {
    return this == MARIADB || this == MYSQL;
  }

  /** Reads a time of the outbox table, which is UTC where the type has no zone. */
  Instant instant(ResultSet row, int column) throws SQLException {
    if (isMySqlFamily()) {
      LocalDateTime utc = row.getObject(column, LocalDateTime.class);
      return utc == null ? null : utc.toInstant(ZoneOffset.UTC);
    }
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  /** What to bind to be compared with a time of the outbox table. */
  Object parameter(Instant instant) {
    OffsetDateTime utc = instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
    return isMySqlFamily() ? utc.toLocalDateTime().toString().replace('T', ' ') : utc;
  }
}
