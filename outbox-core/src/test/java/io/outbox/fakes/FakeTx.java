package io.outbox.fakes;

import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Transactions of a {@link FakeDatabase}, one per thread. */
public final class FakeTx implements TxContext {

  /** Some work in a transaction. */
  @FunctionalInterface
  public interface Work {
    void run() throws Exception;
  }

  private static final class Transaction {
    private final Connection connection;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Runnable> afterRollback = new ArrayList<>();

    private Transaction(Connection connection) {
      this.connection = connection;
    }
  }

  private final FakeDatabase database;
  private final ThreadLocal<Transaction> current = new ThreadLocal<>();
  private int registrations;
  private Runnable beforeWrite = () -> {};

  public FakeTx(FakeDatabase database) {
    this.database = database;
  }

  /** Runs {@code work} and commits, or rolls back if it throws. */
  public void run(Work work) {
    begin();
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      rollback();
      throw e;
    } catch (Exception e) {
      rollback();
      throw new IllegalStateException(e);
    }
    commit();
  }

  public void begin() {
    try {
      Connection connection = database.getConnection();
      connection.setAutoCommit(false);
      current.set(new Transaction(connection));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Commits and calls back. */
  public void commit() {
    commitWithoutCallbacks().forEach(Runnable::run);
  }

  /** Commits; the callbacks are the caller's to run. */
  public List<Runnable> commitWithoutCallbacks() {
    Transaction transaction = end();
    try {
      transaction.connection.commit();
      transaction.connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return transaction.afterCommit;
  }

  public void rollback() {
    Transaction transaction = end();
    try {
      transaction.connection.rollback();
      transaction.connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    transaction.afterRollback.forEach(Runnable::run);
  }

  private Transaction end() {
    Transaction transaction = current.get();
    current.remove();
    return transaction;
  }

  /** What is done before a write, as by a context that flushes. */
  public void onBeforeWrite(Runnable action) {
    beforeWrite = action;
  }

  /** How many callbacks were registered. */
  public int registrations() {
    return registrations;
  }

  @Override
  public boolean isTransactionActive() {
    return current.get() != null;
  }

  @Override
  public Connection currentConnection() {
    return current.get().connection;
  }

  @Override
  public void afterCommit(Runnable callback) {
    registrations++;
    current.get().afterCommit.add(callback);
  }

  @Override
  public void afterRollback(Runnable callback) {
    registrations++;
    current.get().afterRollback.add(callback);
  }

  @Override
  public void beforeWrite() {
    beforeWrite.run();
  }
}
