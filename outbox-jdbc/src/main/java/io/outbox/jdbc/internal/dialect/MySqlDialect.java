package io.outbox.jdbc.internal.dialect;

import io.outbox.jdbc.spi.Dialect;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Set;

/**
 * DATETIME knows no zone and drivers convert by their own, or cut the microseconds of a server
 * whose version they misread: a text in UTC goes in as it is.
 */
public final class MySqlDialect implements Dialect {

  private static final int DUPLICATE_ENTRY = 1062;

  private static final Set<String> NAMES = Set.of("mysql", "mariadb", "tidb");

  private static final DateTimeFormatter DATETIME =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT);

  @Override
  public boolean supports(DatabaseMetaData database) throws SQLException {
    return NAMES.contains(database.getDatabaseProductName().toLowerCase(Locale.ROOT));
  }

  @Override
  public String limit() {
    return "LIMIT ?";
  }

  /** Where the server cannot skip, {@link RowLocks} waits. */
  @Override
  public String lockRows() {
    return "FOR UPDATE SKIP LOCKED";
  }

  @Override
  public String currentTime() {
    return "UTC_TIMESTAMP(6)";
  }

  @Override
  public String instantParameter() {
    return "CAST(? AS DATETIME(6))";
  }

  @Override
  public Object toParameter(Instant instant) {
    return DATETIME.format(instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC));
  }

  @Override
  public Instant readInstant(ResultSet row, int column) throws SQLException {
    LocalDateTime utc = row.getObject(column, LocalDateTime.class);
    return utc == null ? null : utc.toInstant(ZoneOffset.UTC);
  }

  @Override
  public String textLength(String column) {
    return "LENGTH(" + column + ")";
  }

  @Override
  public String binaryLength(String column) {
    return "LENGTH(" + column + ")";
  }

  @Override
  public int rowsPerInsert() {
    return 128;
  }

  @Override
  public boolean isDuplicateKey(SQLException e) {
    return e.getErrorCode() == DUPLICATE_ENTRY;
  }

  /** At the default isolation a locking read locks the gaps between rows too. */
  @Override
  public void prepareTransaction(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
  }
}
