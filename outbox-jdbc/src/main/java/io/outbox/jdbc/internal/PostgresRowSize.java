package io.outbox.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * SQL for how large a row is, without reading it. 90 is nearly what compression can bring at most;
 * the real size is known only by reading.
 */
public final class PostgresRowSize {

  /** The driver's bytes and the text made of them. */
  public static final int IN_MEMORY = 3;

  /** Where the database tells whether a value is compressed. */
  public static final String TOLD =
      expression("CASE WHEN pg_column_compression(%1$s) IS NULL THEN 1 ELSE 90 END");

  public static final String CAUTIOUS = expression("90");

  private static final int TELLS_COMPRESSION = 14;

  private PostgresRowSize() {}

  /**
   * @param inflation how many times larger than in the table a column may be
   */
  private static String expression(String inflation) {
    return Stream.of("payload", "payload_bytes", "headers")
        .map(("least(coalesce(pg_column_size(%1$s), 0), 10000000) * " + inflation)::formatted)
        .collect(Collectors.joining(" + "));
  }

  public static boolean isTold(Connection conn, StoreErrors errors) {
    try {
      return conn.getMetaData().getDatabaseMajorVersion() >= TELLS_COMPRESSION;
    } catch (SQLException e) {
      throw errors.describe("read the version of the database", e);
    }
  }
}
