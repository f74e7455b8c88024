package io.outbox.jooq;

import io.outbox.jdbc.tx.JdbcTransactionManager;
import java.util.concurrent.atomic.AtomicReference;
import org.jooq.Transaction;
import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;

/** Begins transactions of the outbox, and savepoints inside them. */
final class OutboxTransactionProvider implements TransactionProvider {

  private final JdbcTransactionManager transactions;
  private final ThreadLocal<Level> outermost = new ThreadLocal<>();

  OutboxTransactionProvider(JdbcTransactionManager transactions) {
    this.transactions = transactions;
  }

  /**
   * @param savepoint null in the outermost level
   * @param broken why the transaction cannot be committed; the same in all levels
   */
  private record Level(
      JdbcTransactionManager.Transaction transaction,
      JdbcTransactionManager.Savepoint savepoint,
      AtomicReference<RuntimeException> broken)
      implements Transaction {

    Level nested() {
      return new Level(transaction, transaction.savepoint(), broken);
    }
  }

  @Override
  public void begin(TransactionContext context) {
    Level outer = outermost.get();
    if (outer != null) {
      context.transaction(outer.nested());
      return;
    }
    Level level = new Level(transactions.begin(), null, new AtomicReference<>());
    outermost.set(level);
    context.transaction(level);
  }

  @Override
  public void commit(TransactionContext context) {
    Level level = (Level) context.transaction();
    if (level.savepoint() != null) {
      level.transaction().release(level.savepoint());
      return;
    }
    if (level.broken().get() != null) {
      throw new IllegalStateException(
          "the transaction is rolled back, as a nested one could not be rolled back alone",
          level.broken().get());
    }
    outermost.remove();
    level.transaction().commit();
  }

  /** jOOQ also calls it when {@link #begin} or {@link #commit} has failed. */
  @Override
  public void rollback(TransactionContext context) {
    Level level = (Level) context.transaction();
    if (level == null || !level.transaction().isActive()) {
      return;
    }
    if (level.savepoint() == null) {
      outermost.remove();
      level.transaction().rollback();
    } else {
      rollBackTo(level);
    }
  }

  /** jOOQ only adds a failure to that of the nested transaction, and the outer one goes on. */
  private static void rollBackTo(Level level) {
    try {
      level.transaction().rollbackTo(level.savepoint());
      level.transaction().release(level.savepoint());
    } catch (RuntimeException e) {
      level.broken().compareAndSet(null, e);
      throw e;
    }
  }
}
