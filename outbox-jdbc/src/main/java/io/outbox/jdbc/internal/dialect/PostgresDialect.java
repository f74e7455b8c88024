package io.outbox.jdbc.internal.dialect;

import io.outbox.jdbc.spi.Dialect;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

public final class PostgresDialect implements Dialect {

  @Override
  public boolean supports(DatabaseMetaData database) throws SQLException {
    boolean named = database.getDatabaseProductName().equalsIgnoreCase("postgresql");
    if (named) {
      SupportedPostgres.require(database.getConnection());
    }
    return named;
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
    return "clock_timestamp()";
  }

  @Override
  public String jsonParameter() {
    return "?::json";
  }

  @Override
  public int rowsPerInsert() {
    return 128;
  }
}
