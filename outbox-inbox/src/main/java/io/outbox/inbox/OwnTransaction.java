package io.outbox.inbox;

import io.outbox.spi.ConnectionProvider;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/** A transaction that is rolled back unless it was committed. Leaves the connection as it came. */
final class OwnTransaction implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(OwnTransaction.class);

  private final Connection conn;
  private final boolean closes;
  private final boolean restoresAutoCommit;
  private boolean ended;

  private OwnTransaction(Connection conn, boolean closes) throws SQLException {
    this.conn = conn;
    this.closes = closes;
    this.restoresAutoCommit = conn.getAutoCommit();
    if (restoresAutoCommit) {
      conn.setAutoCommit(false);
    }
  }

  /** On a connection of its own. */
  static OwnTransaction begin(ConnectionProvider connections) throws SQLException {
    Connection conn = connections.getConnection();
    try {
      return new OwnTransaction(conn, true);
    } catch (SQLException | RuntimeException e) {
      try {
        conn.close();
      } catch (SQLException | RuntimeException suppressed) {
        e.addSuppressed(suppressed);
      }
      throw e;
    }
  }

  /** On a connection in auto-commit mode that stays the caller's. */
  static OwnTransaction on(Connection conn) throws SQLException {
    return new OwnTransaction(conn, false);
  }

  Connection connection() {
    return conn;
  }

  void commit() throws SQLException {
    conn.commit();
    ended = true;
  }

  /** Throws nothing: what happened before matters more. */
  @Override
  public void close() {
    try {
      if (!ended) {
        conn.rollback();
      }
      // Only now: switching auto-commit on commits what is open.
      if (restoresAutoCommit) {
        conn.setAutoCommit(true);
      }
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.WARNING, "a connection could not be given back in order", e);
    } finally {
      if (closes) {
        closeConnection();
      }
    }
  }

  private void closeConnection() {
    try {
      conn.close();
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.WARNING, "a connection could not be closed", e);
    }
  }
}
