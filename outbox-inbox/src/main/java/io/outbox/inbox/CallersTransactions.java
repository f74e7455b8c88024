package io.outbox.inbox;

import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;

/** The transaction that the calling thread is in. */
final class CallersTransactions implements Transactions {

  private final TxContext txContext;
  private final InboxRows rows;

  CallersTransactions(TxContext txContext, InboxRows rows) {
    this.txContext = txContext;
    this.rows = rows;
  }

  @Override
  public <X extends Exception> boolean processOnce(InboxEntry entry, InboxAction<X> action)
      throws X {
    Connection conn = connection();
    Instant now = now();
    if (!remember(conn, entry, now)) {
      return false;
    }
    try {
      action.run(conn);
      return true;
    } catch (Throwable failure) {
      forget(conn, entry, now, failure);
      throw failure;
    }
  }

  Instant now() {
    return rows.now();
  }

  /**
   * Waits for a transaction that is about to remember it too.
   *
   * @return false if it was remembered before
   */
  boolean remember(Connection conn, InboxEntry entry, Instant at) {
    try {
      return rows.insert(conn, entry, at);
    } catch (SQLException e) {
      throw SqlFailures.describe("remember " + entry, rows.table(), e);
    }
  }

  /**
   * For callers that commit nevertheless. Not by a savepoint: that would also take back events that
   * the action wrote to an outbox, which would not know. If this fails, the transaction is aborted
   * or its connection broken, and it cannot be committed.
   */
  void forget(Connection conn, InboxEntry entry, Instant at, Throwable failure) {
    if (SqlFailures.isRolledBack(failure)) {
      return; // nothing of it is there, and by now the row may be another's
    }
    try {
      rows.delete(conn, entry, at);
    } catch (SQLException | RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** As if it had never been remembered. */
  void free(Connection conn, InboxEntry entry, Instant at) {
    try {
      rows.delete(conn, entry, at);
    } catch (SQLException e) {
      throw SqlFailures.describe("free " + entry, rows.table(), e);
    }
  }

  @Override
  public int purge(Instant before, int limit) {
    try {
      return rows.purge(connection(), before, limit);
    } catch (SQLException e) {
      throw SqlFailures.describe("purge", rows.table(), e);
    }
  }

  /**
   * The transaction's.
   *
   * @throws IllegalStateException if there is no transaction, or none that may write
   */
  Connection connection() {
    if (!txContext.isTransactionActive()) {
      throw noTransaction();
    }
    Connection conn = txContext.currentConnection();
    try {
      if (conn.getAutoCommit()) {
        throw new IllegalStateException(
            "the transaction's connection is in auto-commit mode: an event would be remembered"
                + " without what is done for it. Begin a transaction on this connection");
      }
      if (conn.isReadOnly()) {
        throw new IllegalStateException(
            "the transaction is read-only: events can only be remembered in one that may write");
      }
    } catch (SQLException e) {
      throw new IllegalStateException(
          "the transaction's connection cannot be used: " + e.getMessage(), e);
    }
    return conn;
  }

  /** The context knows why there is none: it is another database's, or over already. */
  private IllegalStateException noTransaction() {
    String message =
        "there is no active transaction: this inbox works in the transaction of its caller"
            + " (@Transactional, or a transaction manager); for one that begins its own, build it"
            + " with a DataSource";
    try {
      txContext.currentConnection();
      return new IllegalStateException(message);
    } catch (IllegalStateException reason) {
      return new IllegalStateException(message + " (" + reason.getMessage() + ")", reason);
    }
  }
}
