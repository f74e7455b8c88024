package io.outbox.jdbc.tx;

import io.outbox.spi.TxContext;
import java.sql.Connection;
import java.util.Objects;

/**
 * The transaction that {@link JdbcTransactionManager} began on the calling thread. Thread-safe;
 * each thread sees its own. Programs with several databases have one context for each.
 */
public final class ThreadLocalTxContext implements TxContext {

  private final ThreadLocal<JdbcTransactionManager.Transaction> current = new ThreadLocal<>();

  /** A context without transactions. */
  public ThreadLocalTxContext() {}

  @Override
  public boolean isTransactionActive() {
    return current.get() != null;
  }

  @Override
  public Connection currentConnection() {
    return active("there is no connection").connection();
  }

  @Override
  public void afterCommit(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    active("an afterCommit callback cannot be registered").callbacks().afterCommit(callback);
  }

  @Override
  public void afterRollback(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    active("an afterRollback callback cannot be registered").callbacks().afterRollback(callback);
  }

  @Override
  public boolean beforeCommit(Runnable callback) {
    Objects.requireNonNull(callback, "callback");
    active("a beforeCommit callback cannot be registered").callbacks().beforeCommit(callback);
    return true;
  }

  private JdbcTransactionManager.Transaction active(String consequence) {
    JdbcTransactionManager.Transaction transaction = current.get();
    if (transaction == null) {
      throw new IllegalStateException(
          ("thread '%s' is in no transaction of this context, so %s: begin one with the"
                  + " JdbcTransactionManager that was given this ThreadLocalTxContext")
              .formatted(Thread.currentThread().getName(), consequence));
    }
    return transaction;
  }

  void bind(JdbcTransactionManager.Transaction transaction) {
    current.set(transaction);
  }

  void unbind() {
    current.remove();
  }
}
