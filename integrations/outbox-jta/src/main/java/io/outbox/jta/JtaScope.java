package io.outbox.jta;

import io.outbox.util.PrintableLogger;
import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * One transaction, and what is to run at its end. Thread-safe: a timeout ends it on a thread of the
 * transaction manager while its own thread may be writing.
 */
final class JtaScope implements Synchronization {

  private static final Logger LOG = PrintableLogger.of(JtaScope.class);

  private final TransactionSynchronizationRegistry registry;
  private final TxConnection connection;
  private final List<Runnable> beforeCommit = new ArrayList<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final List<Runnable> afterRollback = new ArrayList<>();
  private boolean committing;
  private boolean ended;

  JtaScope(TransactionSynchronizationRegistry registry, DataSource dataSource) {
    this.registry = registry;
    this.connection = new TxConnection(registry, dataSource);
  }

  Connection connection() {
    return connection.enlisted();
  }

  /** False if the callbacks before the commit are running already. */
  synchronized boolean beforeCommit(Runnable action) {
    if (committing) {
      return false;
    }
    add(beforeCommit, action);
    return true;
  }

  synchronized void afterCommit(Runnable action) {
    add(afterCommit, action);
  }

  synchronized void afterRollback(Runnable action) {
    add(afterRollback, action);
  }

  private void add(List<Runnable> actions, Runnable action) {
    if (ended) {
      throw new IllegalStateException(Refusal.ENDED.message());
    }
    actions.add(action);
  }

  /** What one of them throws is the transaction's failure. */
  @Override
  public void beforeCompletion() {
    try {
      startCommit().forEach(Runnable::run);
    } catch (RuntimeException | Error e) {
      rollBackBecauseOf(e);
      throw e;
    }
  }

  private synchronized List<Runnable> startCommit() {
    committing = true;
    return List.copyOf(beforeCommit);
  }

  private void rollBackBecauseOf(Throwable failure) {
    try {
      registry.setRollbackOnly();
    } catch (RuntimeException e) {
      failure.addSuppressed(e);
    }
  }

  /** An unknown end counts as a rollback: if it was a commit, the poller delivers. */
  @Override
  public void afterCompletion(int status) {
    connection.end();
    for (Runnable callback : end(status == Status.STATUS_COMMITTED)) {
      try {
        callback.run();
      } catch (Throwable e) {
        LOG.log(
            Level.ERROR, "a callback at the end of a transaction failed; the others still run", e);
      }
    }
  }

  private synchronized List<Runnable> end(boolean committed) {
    ended = true;
    List<Runnable> callbacks = List.copyOf(committed ? afterCommit : afterRollback);
    afterCommit.clear();
    afterRollback.clear();
    return callbacks;
  }
}
