package io.outbox.jdbc.internal;

import io.outbox.internal.tx.OwnTransaction;
import java.sql.Connection;
import java.sql.SQLException;

/** Makes several statements one transaction, on an auto-commit connection too. */
public final class UnitOfWork {

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
   * Runs {@code work} in the connection's transaction, or in a new one, begun with {@code prepare},
   * if the connection is in auto-commit mode.
   */
  public static <T> T run(Connection conn, Step prepare, Work<T> work) throws SQLException {
    if (!conn.getAutoCommit()) {
      return work.run(conn);
    }
    try (OwnTransaction own = OwnTransaction.on(conn)) {
      prepare.run(conn);
      T result = work.run(conn);
      own.commit();
      return result;
    }
  }
}
