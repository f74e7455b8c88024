package io.outbox.jdbc.tx;

import io.outbox.jdbc.OutboxStoreException;
import io.outbox.spi.ConnectionProvider;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Begins and ends transactions by hand, and tells a {@link ThreadLocalTxContext} about them.
 * Thread-safe; a transaction belongs to the thread that began it.
 */
public final class JdbcTransactionManager {

  private static final Logger LOG = PrintableLogger.of(JdbcTransactionManager.class);

  private final ConnectionProvider connectionProvider;
  private final ThreadLocalTxContext txContext;

  /** Something to do in a transaction. */
  @FunctionalInterface
  public interface Work<E extends Exception> {
    void run(Transaction transaction) throws E;
  }

  /** Something to do in a transaction that has a result. */
  @FunctionalInterface
  public interface Call<T, E extends Exception> {
    T call(Transaction transaction) throws E;
  }

  public JdbcTransactionManager(
      ConnectionProvider connectionProvider, ThreadLocalTxContext txContext) {
    this.connectionProvider = Objects.requireNonNull(connectionProvider, "connectionProvider");
    this.txContext = Objects.requireNonNull(txContext, "txContext");
  }

  /**
   * Begins a transaction on the calling thread.
   *
   * @throws IllegalStateException if the thread is in one already
   * @throws OutboxStoreException if there is no connection
   */
  public Transaction begin() {
    if (txContext.isTransactionActive()) {
      throw new IllegalStateException(
          "thread '%s' is in a transaction already; end it first, or use a savepoint of it"
              .formatted(Thread.currentThread().getName()));
    }
    try {
      Connection connection = connectionProvider.getConnection();
      Transaction transaction = new Transaction(txContext, connection, autoCommitOff(connection));
      txContext.bind(transaction);
      return transaction;
    } catch (SQLException e) {
      throw new OutboxStoreException("could not begin a transaction: " + e.getMessage(), e);
    }
  }

  /** Returns whether auto-commit was on. */
  private static boolean autoCommitOff(Connection connection) throws SQLException {
    try {
      boolean wasOn = connection.getAutoCommit();
      if (wasOn) {
        connection.setAutoCommit(false);
      }
      return wasOn;
    } catch (SQLException | RuntimeException e) {
      try {
        connection.close();
      } catch (SQLException closing) {
        e.addSuppressed(closing);
      }
      throw e;
    }
  }

  /** Does {@code work} in a transaction: committed if it returns, rolled back if it throws. */
  public <E extends Exception> void run(Work<E> work) throws E {
    call(
        transaction -> {
          work.run(transaction);
          return null;
        });
  }

  /** Like {@link #run}, with a result. */
  public <T, E extends Exception> T call(Call<T, E> work) throws E {
    try (Transaction transaction = begin()) {
      T result = work.call(transaction);
      if (transaction.isActive()) {
        transaction.commit();
      }
      return result;
    }
  }

  /** A transaction. To be used by the thread that began it. */
  public static final class Transaction implements AutoCloseable {

    private final ThreadLocalTxContext context;
    private final Connection connection;
    private final boolean restoreAutoCommit;
    private final Thread thread = Thread.currentThread();
    private final Callbacks callbacks = new Callbacks();
    private final List<Savepoint> savepoints = new ArrayList<>();
    private boolean active = true;

    private Transaction(
        ThreadLocalTxContext context, Connection connection, boolean restoreAutoCommit) {
      this.context = context;
      this.connection = connection;
      this.restoreAutoCommit = restoreAutoCommit;
    }

    /** Whether it was neither committed nor rolled back. */
    public boolean isActive() {
      return active;
    }

    /** The connection to work with; not to be closed, committed or rolled back by hand. */
    public Connection connection() {
      requireActive();
      return connection;
    }

    Callbacks callbacks() {
      return callbacks;
    }

    /**
     * Commits, gives the connection back, then runs the afterCommit callbacks.
     *
     * @throws OutboxStoreException if the commit failed: its outcome is unknown, and the
     *     afterRollback callbacks have run; or if a beforeCommit callback failed, and the
     *     transaction was rolled back
     */
    public void commit() {
      requireActive();
      try {
        callbacks.runBeforeCommit();
      } catch (RuntimeException e) {
        throw failed("the transaction was rolled back, as it failed before its commit: ", e);
      }
      try {
        connection.commit();
      } catch (SQLException | RuntimeException e) {
        throw failed("the commit failed, its outcome is unknown: ", e);
      }
      end(true);
      callbacks.runAfterCommit();
    }

    private OutboxStoreException failed(String what, Exception e) {
      end(rolledBack(e));
      callbacks.runAfterRollback();
      return new OutboxStoreException(what + e.getMessage(), e);
    }

    /** Rolls back, gives the connection back, then runs the afterRollback callbacks. */
    public void rollback() {
      requireActive();
      OutboxStoreException failure = null;
      try {
        connection.rollback();
      } catch (SQLException | RuntimeException e) {
        failure = new OutboxStoreException("the rollback failed: " + e.getMessage(), e);
      }
      end(failure == null);
      callbacks.runAfterRollback();
      if (failure != null) {
        throw failure;
      }
    }

    /** Rolls back unless it has ended. */
    @Override
    public void close() {
      if (active) {
        rollback();
      }
    }

    /** A point to which this transaction can be rolled back. */
    public Savepoint savepoint() {
      requireActive();
      try {
        Savepoint savepoint = new Savepoint(connection.setSavepoint(), callbacks.mark());
        savepoints.add(savepoint);
        return savepoint;
      } catch (SQLException e) {
        throw new OutboxStoreException("could not set a savepoint: " + e.getMessage(), e);
      }
    }

    /**
     * Undoes all changes since {@code savepoint}, which stays usable: callbacks registered since
     * will not run after commit, and callbacks for a rollback run now.
     */
    public void rollbackTo(Savepoint savepoint) {
      requireActive();
      int position = requireOpen(savepoint);
      try {
        connection.rollback(savepoint.point);
      } catch (SQLException e) {
        throw new OutboxStoreException("could not roll back to a savepoint: " + e.getMessage(), e);
      }
      savepoints.subList(position + 1, savepoints.size()).clear();
      callbacks.rollBackTo(savepoint.mark);
    }

    /** Forgets a savepoint and all later ones; the changes stay. */
    public void release(Savepoint savepoint) {
      requireActive();
      int position = requireOpen(savepoint);
      try {
        connection.releaseSavepoint(savepoint.point);
      } catch (SQLException e) {
        throw new OutboxStoreException("could not release a savepoint: " + e.getMessage(), e);
      }
      savepoints.subList(position, savepoints.size()).clear();
    }

    private int requireOpen(Savepoint savepoint) {
      int position = savepoints.indexOf(Objects.requireNonNull(savepoint, "savepoint"));
      if (position < 0) {
        throw new IllegalStateException(
            "this savepoint is of another transaction, was released, or was undone by a rollback"
                + " to an earlier one");
      }
      return position;
    }

    private void requireActive() {
      if (!active) {
        throw new IllegalStateException("this transaction has ended");
      }
      if (Thread.currentThread() != thread) {
        throw new IllegalStateException(
            "this transaction belongs to thread '%s' and cannot be used by thread '%s'"
                .formatted(thread.getName(), Thread.currentThread().getName()));
      }
    }

    private boolean rolledBack(Exception because) {
      try {
        connection.rollback();
        return true;
      } catch (SQLException | RuntimeException e) {
        because.addSuppressed(e);
        return false;
      }
    }

    /** Switching auto-commit on commits what is open: only after a commit or rollback worked. */
    private void end(boolean endedInDatabase) {
      active = false;
      context.unbind();
      try (connection) {
        if (endedInDatabase && restoreAutoCommit) {
          connection.setAutoCommit(true);
        }
      } catch (SQLException | RuntimeException e) {
        LOG.log(Level.WARNING, "could not give a connection back in order", e);
      }
    }
  }

  /** A point to roll back to, made by {@link Transaction#savepoint()}. */
  public static final class Savepoint {

    private final java.sql.Savepoint point;
    private final Callbacks.Mark mark;

    private Savepoint(java.sql.Savepoint point, Callbacks.Mark mark) {
      this.point = point;
      this.mark = mark;
    }
  }
}
