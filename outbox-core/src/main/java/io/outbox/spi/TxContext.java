package io.outbox.spi;

import java.sql.Connection;

/**
 * The transaction of the calling thread.
 *
 * <p>A rollback to a savepoint undoes later writes: {@code afterCommit} callbacks registered since
 * then must not run, their {@code afterRollback} counterparts must.
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

  /**
   * Runs {@code callback} on the calling thread before the transaction is committed, after the last
   * statement of the business code; it may read through the transaction's connection. It does not
   * run if the transaction is rolled back. A rollback to a savepoint leaves it registered.
   *
   * <p>If it throws, the transaction must be rolled back instead of committed, and the committing
   * code gets the exception. A database may report its rollback in answer to the callback's own
   * statement; a commit would then succeed and commit nothing.
   *
   * <p>On MySQL and MariaDB this saves looking for the row of each event after the commit.
   *
   * @return false if this context cannot; nothing was registered then
   * @throws IllegalStateException if there is no transaction
   */
  default boolean beforeCommit(Runnable callback) {
    return false;
  }

  /**
   * Called by the writer in a transaction that may write, before the database numbers the events.
   * Changes that this context holds back, as an object-relational mapper does, must reach the
   * database now: their row locks keep other writers of the same key waiting, so that the numbers
   * of the events follow the order of the commits.
   *
   * <p>An event may be written from within this method, by a callback of the mapper for example.
   * Whatever is thrown reaches the caller of the writer, and nothing is written.
   */
  default void beforeWrite() {}
}
