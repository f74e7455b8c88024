package io.outbox.jdbc.internal.dialect;

import io.outbox.jdbc.spi.Dialect;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

public final class H2Dialect implements Dialect {

  @Override
  public boolean supports(DatabaseMetaData database) throws SQLException {
    return database.getDatabaseProductName().equalsIgnoreCase("h2");
  }

  @Override
  public String limit() {
    return "LIMIT ?";
  }

  @Override
  public String lockRows() {
    return "FOR UPDATE SKIP LOCKED";
  }

  @Override
  public String currentTime() {
    return "CURRENT_TIMESTAMP(6)";
  }

  /** The length that is stored: the other one of a column would be found by reading it. */
  @Override
  public String textLength(String column) {
    return "LENGTH(" + column + ")";
  }

  @Override
  public int rowsPerInsert() {
    return 128;
  }
}
