package com.example.hypersql;

import io.outbox.jdbc.spi.Dialect;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;

// snippet: dialect
/** Keeps the outbox in HSQLDB. */
public final class HyperSqlDialect implements Dialect {

  @Override
  public boolean supports(DatabaseMetaData database) throws SQLException {
    return database.getDatabaseProductName().equals("HSQL Database Engine");
  }

  /**
   * Text and bytes in the row: HSQLDB may remove a new large object while another is cleaned up.
   */
  @Override
  public String ddl() {
    return Dialect.super
        .ddl()
        .replace("CHARACTER LARGE OBJECT", "LONGVARCHAR")
        .replace("BINARY LARGE OBJECT", "LONGVARBINARY");
  }

  @Override
  public String fromNoTable() {
    return "FROM (VALUES (0))";
  }

  @Override
  public String currentTime() {
    return "CURRENT_TIMESTAMP(6)";
  }

  @Override
  public int rowsPerInsert() {
    return 128;
  }
}
// end
