package io.outbox.testing;

import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;

/**
 * Transactions begun and ended by hand, one at a time per thread. The method that ends the
 * transaction runs all callbacks, then throws their exceptions.
 */
public final class StubTxContext implements TxContext {

  private final ConnectionProvider connections;
  private final ThreadLocal<Transaction> current = new ThreadLocal<>();

  public StubTxContext(ConnectionProvider connections) {
    this.connections = Objects.requireNonNull(connections, "connections");
  }

  /** Begins a transaction of the calling thread. */
  public void begin() {
    begin(false);
  }

  /** Begins a transaction of the calling thread in which nothing can be written. */
  public void beginReadOnly() {
    begin(true);
  }

  private void begin(boolean readOnly) {
    if (current.get() != null) {
      throw new IllegalStateException("this thread already is in a transaction");
    }
    try {
      Connection connection = connections.getConnection();
      connection.setReadOnly(readOnly);
      connection.setAutoCommit(false);
      current.set(new Transaction(connection));
    } catch (SQLException e) {
      throw new IllegalStateException("cannot begin a transaction", e);
    }
  }

  /**
   * Commits, closes the connection, then runs the callbacks.
   *
   * @throws IllegalStateException if the commit failed, or a callback before it; the callbacks for
   *     a rollback have run then
   */
  public void commit() {
    try {
      run(required().beforeCommit, true);
    } catch (RuntimeException e) {
      rollback();
      throw new IllegalStateException("rolled back, as a callback before the commit failed", e);
    }
    Transaction transaction = take();
    try {
      transaction.connection.commit();
    } catch (SQLException e) {
      transaction.endWithout(e);
      throw new IllegalStateException("cannot commit", e);
    }
    transaction.close();
    run(transaction.callbacks, true);
  }

  /** Rolls back, closes the connection, then runs the callbacks. */
  public void rollback() {
    Transaction transaction = take();
    try {
      transaction.connection.rollback();
    } catch (SQLException e) {
      transaction.endWithout(e);
      throw new IllegalStateException("cannot roll back", e);
    }
    transaction.close();
    run(transaction.callbacks, false);
  }

  /** Does the work in a transaction: committed at the end, rolled back if it throws. */
  public void inTransaction(Runnable work) {
    callInTransaction(
        () -> {
          work.run();
          return null;
        });
  }

  /** Does the work in a transaction: committed at the end, rolled back if it throws. */
  public <T> T callInTransaction(Supplier<T> work) {
    begin();
    T result;
    try {
      result = work.get();
    } catch (RuntimeException | Error e) {
      rollback();
      throw e;
    }
    commit();
    return result;
  }

  /** A point of the current transaction to roll back to. */
  public Savepoint savepoint() {
    Transaction transaction = required();
    try {
      return new Savepoint(transaction.connection.setSavepoint(), transaction.callbacks.size());
    } catch (SQLException e) {
      throw new IllegalStateException("cannot set a savepoint", e);
    }
  }

  /** Undoes all changes since, and runs the rollback callbacks registered since. */
  public void rollbackTo(Savepoint savepoint) {
    Transaction transaction = required();
    try {
      transaction.connection.rollback(savepoint.savepoint);
    } catch (SQLException e) {
      throw new IllegalStateException("cannot roll back to a savepoint", e);
    }
    List<Callback> since =
        transaction.callbacks.subList(savepoint.callbacks, transaction.callbacks.size());
    List<Callback> undone = List.copyOf(since);
    since.clear();
    run(undone, false);
  }

  @Override
  public boolean isTransactionActive() {
    return current.get() != null;
  }

  @Override
  public Connection currentConnection() {
    return required().connection;
  }

  @Override
  public void afterCommit(Runnable callback) {
    required().callbacks.add(new Callback(true, Objects.requireNonNull(callback, "callback")));
  }

  @Override
  public void afterRollback(Runnable callback) {
    required().callbacks.add(new Callback(false, Objects.requireNonNull(callback, "callback")));
  }

  @Override
  public boolean beforeCommit(Runnable callback) {
    required().beforeCommit.add(new Callback(true, Objects.requireNonNull(callback, "callback")));
    return true;
  }

  private Transaction required() {
    Transaction transaction = current.get();
    if (transaction == null) {
      throw new IllegalStateException("this thread is in no transaction; call begin() first");
    }
    return transaction;
  }

  private Transaction take() {
    Transaction transaction = required();
    current.remove();
    return transaction;
  }

  private static void run(List<Callback> callbacks, boolean committed) {
    RuntimeException failure = null;
    for (Callback callback : callbacks) {
      if (callback.afterCommit == committed) {
        try {
          callback.action.run();
        } catch (RuntimeException e) {
          if (failure == null) {
            failure = e;
          } else {
            failure.addSuppressed(e);
          }
        }
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** See {@link #savepoint()}. */
  public static final class Savepoint {
    private final java.sql.Savepoint savepoint;
    private final int callbacks;

    private Savepoint(java.sql.Savepoint savepoint, int callbacks) {
      this.savepoint = savepoint;
      this.callbacks = callbacks;
    }
  }

  private record Callback(boolean afterCommit, Runnable action) {}

  private record Transaction(
      Connection connection, List<Callback> callbacks, List<Callback> beforeCommit) {

    Transaction(Connection connection) {
      this(connection, new ArrayList<>(), new ArrayList<>());
    }

    /** Nobody knows what became of it, which counts as a rollback. */
    void endWithout(SQLException cause) {
      try {
        close();
        run(callbacks, false);
      } catch (RuntimeException e) {
        cause.addSuppressed(e);
      }
    }

    void close() {
      try {
        connection.close();
      } catch (SQLException e) {
        throw new IllegalStateException("cannot close the connection", e);
      }
    }
  }
}
