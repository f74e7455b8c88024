package io.outbox.jdbc.internal.schema;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.internal.TableName;
import io.outbox.jdbc.internal.UnitOfWork;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Changes of partitions that happen as a whole or not at all, by one node at a time. */
public final class PartitionSteps {

  /** A lock timeout, a deadlock, an event that has come to where a partition was to be. */
  private static final Set<String> BUSY = Set.of("55P03", "40P01", "23514");

  private final Logger log;
  private final TableName table;
  private final Predicate<Connection> lock;

  /**
   * @param log where a step is told that has to wait for the next time
   * @param lock false if another node is at it
   */
  public PartitionSteps(Logger log, TableName table, Predicate<Connection> lock) {
    this.log = log;
    this.table = table;
    this.lock = lock;
  }

  /**
   * Runs a step in its own transaction, or up to a savepoint in that of the caller.
   *
   * @param action completes "could not …"
   * @return what the step returns; {@code otherwise} if somebody else has locked the table
   */
  public <T> T run(Connection conn, String action, Function<Connection, T> step, T otherwise) {
    try {
      return UnitOfWork.run(
          conn, PartitionSteps::readCommitted, c -> undoneIfItFails(c, step, otherwise));
    } catch (OutboxStoreException e) {
      if (!(e.getCause() instanceof SQLException sql)
          || !BUSY.contains(String.valueOf(sql.getSQLState()))) {
        throw e;
      }
      log.log(
          Level.WARNING,
          () -> "could not %s of %s now: %s".formatted(action, table, e.getMessage()));
      return otherwise;
    } catch (SQLException e) {
      throw new OutboxStoreException(
          "could not %s of table %s: %s".formatted(action, table, e.getMessage()), e);
    }
  }

  /** Whether the caller commits what several steps did, not each step itself. */
  public static boolean areInOneTransaction(Connection conn) {
    try {
      return !conn.getAutoCommit();
    } catch (SQLException e) {
      throw new OutboxStoreException("could not look at the connection: " + e.getMessage(), e);
    }
  }

  private static void readCommitted(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
    }
  }

  private <T> T undoneIfItFails(Connection conn, Function<Connection, T> step, T otherwise)
      throws SQLException {
    Savepoint before = conn.setSavepoint();
    try {
      T result = lock.test(conn) ? step.apply(conn) : otherwise;
      conn.releaseSavepoint(before);
      return result;
    } catch (RuntimeException e) {
      conn.rollback(before);
      throw e;
    }
  }
}
