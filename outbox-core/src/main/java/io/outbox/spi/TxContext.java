package io.outbox.spi;

import java.sql.Connection;

/**
 * The transaction of the calling thread.
 *
 * <p>A transaction that is rolled back to a savepoint has not committed what was written since: its
 * {@code afterCommit} callbacks registered since then must not run, their {@code afterRollback}
 * counterparts must.
 */
public interface TxContext {

  /**
   * Whether the calling thread is in a transaction that {@link #currentConnection()} belongs to.
   */
  boolean isTransactionActive();

  /**
   * The connection that the business code uses.
   *
   * @throws IllegalStateException if there is no transaction, with a message that says why
   */
  Connection currentConnection();

  /**
   * Runs {@code callback} on the calling thread once the transaction has committed, and only then.
   *
   * @throws IllegalStateException if there is no transaction
   */
  void afterCommit(Runnable callback);

  /**
   * Runs {@code callback} once the transaction was rolled back, or its end is unknown.
   *
   * @throws IllegalStateException if there is no transaction
   */
  void afterRollback(Runnable callback);
}
