package io.outbox.internal.tx;

import io.outbox.spi.ConnectionProvider;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;

/** A transaction that is rolled back unless it was committed. Leaves the connection as it came. */
public final class OwnTransaction implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(OwnTransaction.class);

  private final Connection conn;
  private final boolean closes;
  private final boolean autoCommit;
  private boolean ended;

  private OwnTransaction(Connection conn, boolean closes) throws SQLException {
    this.conn = conn;
    this.closes = closes;
    this.autoCommit = conn.getAutoCommit();
    if (autoCommit) {
      conn.setAutoCommit(false);
    }
  }

  /** On a separate connection. */
  public static OwnTransaction begin(ConnectionProvider connections) throws SQLException {
    Connection conn = connections.getConnection();
    try {
      return new OwnTransaction(conn, true);
    } catch (SQLException | RuntimeException e) {
      attempt(conn::close);
      throw e;
    }
  }

  /** On a connection that stays the caller's, and is in no transaction. */
  public static OwnTransaction on(Connection conn) throws SQLException {
    return new OwnTransaction(conn, false);
  }

  public Connection connection() {
    return conn;
  }

  public void commit() throws SQLException {
    conn.commit();
    ended = true;
  }

  /** Rolls back unless it was committed. False if that fails: then nobody knows its state. */
  public boolean end() {
    ended = ended || attempt(conn::rollback);
    return ended;
  }

  /** Throws nothing: what happened before matters more. */
  @Override
  public void close() {
    // Switching auto-commit on commits what is open: only after the transaction has ended.
    if (end() && autoCommit) {
      attempt(() -> conn.setAutoCommit(true));
    }
    if (closes) {
      attempt(conn::close);
    }
  }

  @FunctionalInterface
  private interface Step {
    void run() throws SQLException;
  }

  private static boolean attempt(Step step) {
    try {
      step.run();
      return true;
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "a connection could not be given back as it came", e);
      return false;
    }
  }
}
