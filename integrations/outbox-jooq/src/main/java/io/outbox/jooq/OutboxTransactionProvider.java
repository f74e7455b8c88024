package io.outbox.jooq;

import io.outbox.jdbc.tx.JdbcTransactionManager;
import org.jooq.Transaction;
import org.jooq.TransactionContext;
import org.jooq.TransactionProvider;

/** Begins transactions of the outbox, and savepoints inside them. */
final class OutboxTransactionProvider implements TransactionProvider {

  private final JdbcTransactionManager transactions;
  private final ThreadLocal<JdbcTransactionManager.Transaction> outermost = new ThreadLocal<>();

  OutboxTransactionProvider(JdbcTransactionManager transactions) {
    this.transactions = transactions;
  }

  /** The savepoint of the outermost level is null. */
  private record Level(
      JdbcTransactionManager.Transaction transaction, JdbcTransactionManager.Savepoint savepoint)
      implements Transaction {}

  @Override
  public void begin(TransactionContext context) {
    JdbcTransactionManager.Transaction outer = outermost.get();
    if (outer != null) {
      context.transaction(new Level(outer, outer.savepoint()));
      return;
    }
    JdbcTransactionManager.Transaction transaction = transactions.begin();
    outermost.set(transaction);
    context.transaction(new Level(transaction, null));
  }

  @Override
  public void commit(TransactionContext context) {
    Level level = (Level) context.transaction();
    if (level.savepoint() == null) {
      outermost.remove();
      level.transaction().commit();
    } else {
      level.transaction().release(level.savepoint());
    }
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
      level.transaction().rollbackTo(level.savepoint());
      level.transaction().release(level.savepoint());
    }
  }
}
