package io.outbox.jdbc.spi;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;

/**
 * How a database does what databases do differently. Register yours with {@link
 * java.util.ServiceLoader}, and {@code JdbcOutboxStores.detect} and {@code OutboxSchema} know your
 * database; or pass it to {@code DialectOutboxStore}. A foreign dialect is asked before the
 * dialects of this library.
 *
 * <p>The defaults are standard SQL and need no row lock clause, so that {@link #supports} may be
 * all you write. Every statement uses {@code COALESCE}, {@code LEAST}, {@code GREATEST} and {@code
 * CASE}, which the database must have. The engine's transactions must run at READ COMMITTED: set
 * that in {@link #prepareTransaction} if it is not the default. An update must lock the row it
 * changes until the transaction ends.
 *
 * <p>A store of a foreign dialect delivers in {@code singleNode()}, {@code multiNode()} and {@code
 * ordered()}. It has no lanes, so that {@code orderedByKey()} refuses to start, and no {@code
 * OutboxOperator}.
 *
 * <p>Implementations are immutable and have a public constructor without parameters. No method
 * returns null, except where it says so; without parameters a method always returns the same.
 */
public interface Dialect {

  /**
   * Whether this dialect fits the database; asked with a connection open.
   *
   * @param database its product name and version
   */
  boolean supports(DatabaseMetaData database) throws SQLException;

  /**
   * The DDL of the table {@code outbox_event} with all its columns and indexes, and of the tables
   * {@code outbox_event_member} and {@code outbox_event_subscription} for databases that have them.
   * A statement ends with a semicolon and a line break. Without the table of members, nodes of
   * different modes are not kept apart; without the table of subscriptions, an event has one
   * listener.
   *
   * <p>The default is standard SQL; replace the names of its types: {@code VARCHAR(n)}, {@code
   * CHARACTER LARGE OBJECT}, {@code BINARY LARGE OBJECT}, {@code TIMESTAMP(6) WITH TIME ZONE}.
   */
  default String ddl() {
    return StandardDdl.TEXT;
  }

  /** The end of a SELECT that returns only its first rows; has one {@code ?} for how many. */
  default String limit() {
    return "FETCH FIRST ? ROWS ONLY";
  }

  /**
   * The end of a SELECT that locks the rows it returns: {@code FOR UPDATE SKIP LOCKED}, or {@code
   * FOR UPDATE} where nodes have to wait for each other. Empty, the default, if the database has
   * none: then an update that changes nothing locks the rows.
   */
  default String lockRows() {
    return "";
  }

  /** What has to follow a SELECT that reads no table, such as {@code FROM dual}; may be empty. */
  default String fromNoTable() {
    return "";
  }

  /** An expression for the database's time, of the type of the columns. */
  default String currentTime() {
    return "CURRENT_TIMESTAMP";
  }

  /** A parameter for an instant where nothing else tells its type. */
  default String instantParameter() {
    return "CAST(? AS TIMESTAMP(6) WITH TIME ZONE)";
  }

  /** A parameter for the columns {@code payload} and {@code headers}. */
  default String jsonParameter() {
    return "?";
  }

  /** What to bind for an instant; with all its microseconds, and the same in every time zone. */
  default Object toParameter(Instant instant) {
    return instant.truncatedTo(ChronoUnit.MICROS).atOffset(ZoneOffset.UTC);
  }

  /** Reads what {@link #toParameter} wrote; null if the column is. */
  default Instant readInstant(ResultSet row, int column) throws SQLException {
    OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
    return time == null ? null : time.toInstant();
  }

  /** An expression for the length of a column of text. */
  default String textLength(String column) {
    return "CHAR_LENGTH(" + column + ")";
  }

  /** An expression for the length of a column of bytes. */
  default String binaryLength(String column) {
    return "OCTET_LENGTH(" + column + ")";
  }

  /**
   * How many rows one INSERT may have, from 1 to 128. The default is 1, because not every database
   * takes several rows after VALUES.
   */
  default int rowsPerInsert() {
    return 1;
  }

  /** Whether a row with the same key exists. */
  default boolean isDuplicateKey(SQLException e) {
    return "23505".equals(e.getSQLState());
  }

  /** Called first in each transaction of the engine; may set the isolation of this one. */
  default void prepareTransaction(Connection conn) throws SQLException {}
}
