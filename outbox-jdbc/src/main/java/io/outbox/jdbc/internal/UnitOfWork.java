package io.outbox.jdbc.internal;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/** Makes several statements one transaction, on an auto-commit connection too. */
public final class UnitOfWork {

  private static final Logger LOG = PrintableLogger.of(UnitOfWork.class);

  private UnitOfWork() {}

  /** A step that may fail as JDBC does. */
  @FunctionalInterface
  public interface Step {
    void run(Connection conn) throws SQLException;
  }

  /** Statements that belong together. */
  @FunctionalInterface
  public interface Work<T> {
    T run(Connection conn) throws SQLException;
  }

  /**
   * Runs {@code work} in the connection's transaction, or in one of its own, begun with {@code
   * prepare}, if the connection is in auto-commit mode.
   */
  public static <T> T run(Connection conn, Step prepare, Work<T> work) throws SQLException {
    if (!conn.getAutoCommit()) {
      return work.run(conn);
    }
    conn.setAutoCommit(false);
    boolean ended = false;
    try {
      prepare.run(conn);
      T result = work.run(conn);
      conn.commit();
      ended = true;
      return result;
    } catch (SQLException | RuntimeException | Error e) {
      ended = rolledBack(conn, e);
      throw e;
    } finally {
      // Switching auto-commit on commits what is open: only after the transaction has ended.
      if (ended) {
        switchOn(conn);
      }
    }
  }

  private static boolean rolledBack(Connection conn, Throwable because) {
    try {
      conn.rollback();
      return true;
    } catch (SQLException e) {
      because.addSuppressed(e);
      return false;
    }
  }

  private static void switchOn(Connection conn) {
    try {
      conn.setAutoCommit(true);
    } catch (SQLException e) {
      // The work is done; whoever uses this connection next will find it broken.
      LOG.log(Level.WARNING, "could not switch auto-commit on again", e);
    }
  }
}
