package io.outbox.micronaut;

import io.micronaut.core.order.Ordered;
import io.micronaut.transaction.TransactionStatus;
import io.micronaut.transaction.impl.InternalTransaction;
import io.micronaut.transaction.support.TransactionSynchronization;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * One transaction, and what is to run at its end. Thread-safe: asynchronous methods end their
 * transaction on another thread.
 */
final class TxScope implements TransactionSynchronization {

  private static final Logger LOG = PrintableLogger.of(TxScope.class);

  private record Callback(boolean onCommit, Runnable action) {}

  private final Supplier<TransactionStatus<?>> current;
  private final Runnable onEnd;
  private final List<Runnable> beforeCommit = new ArrayList<>();
  private final List<Callback> callbacks = new ArrayList<>();

  /** How many callbacks there were when a nested transaction registered its first. */
  private final Map<TransactionStatus<?>, Integer> savepoints = new IdentityHashMap<>();

  private boolean committing;
  private boolean ended;

  TxScope(Supplier<TransactionStatus<?>> current, Runnable onEnd) {
    this.current = current;
    this.onEnd = onEnd;
  }

  /** False if the callbacks before the commit are running already. */
  synchronized boolean beforeCommit(Runnable action) {
    if (committing) {
      return false;
    }
    beforeCommit.add(action);
    return true;
  }

  synchronized void afterCommit(TransactionStatus<?> status, Runnable action) {
    add(status, new Callback(true, action));
  }

  synchronized void afterRollback(TransactionStatus<?> status, Runnable action) {
    add(status, new Callback(false, action));
  }

  synchronized boolean hasEnded() {
    return ended;
  }

  private void add(TransactionStatus<?> status, Callback callback) {
    if (ended) {
      throw new IllegalStateException(Refusal.ENDED.message());
    }
    mark(status, callbacks.size());
    callbacks.add(callback);
  }

  /** Only a transaction that has its own savepoint may be rolled back alone. */
  private void mark(TransactionStatus<?> status, int size) {
    if (status instanceof InternalTransaction<?> internal
        && internal.isNestedTransaction()
        && !internal.isNewTransaction()
        && savepoints.putIfAbsent(status, size) == null) {
      internal.registerInvocationSynchronization(new NestedEnd(status));
    }
  }

  private synchronized void released(TransactionStatus<?> nested) {
    int size = savepoints.remove(nested);
    TransactionStatus<?> outer = current.get();
    if (outer != null && outer.getConnection() == nested.getConnection()) {
      mark(outer, size);
    }
  }

  private synchronized List<Callback> undone(TransactionStatus<?> nested) {
    List<Callback> since = callbacks.subList(savepoints.remove(nested), callbacks.size());
    List<Callback> undone = List.copyOf(since);
    since.clear();
    return undone;
  }

  /** Before all others, so that what they do after the commit is recognized. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public synchronized void beforeCommit(boolean readOnly) {
    committing = true;
  }

  /** Runs the callbacks before the commit after those of others, which may write events. */
  TransactionSynchronization lastBeforeCommit() {
    return new TransactionSynchronization() {
      @Override
      public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
      }

      @Override
      public void beforeCommit(boolean readOnly) {
        beforeCommit.forEach(Runnable::run);
      }
    };
  }

  @Override
  public void afterCommit() {
    run(end(), true);
  }

  /** An unknown end counts as a rollback: if it was a commit, the poller delivers. */
  @Override
  public void afterCompletion(Status status) {
    onEnd.run();
    run(end(), status == Status.COMMITTED);
  }

  private synchronized List<Callback> end() {
    ended = true;
    List<Callback> atEnd = List.copyOf(callbacks);
    callbacks.clear();
    return atEnd;
  }

  private static void run(List<Callback> callbacks, boolean commit) {
    for (Callback callback : callbacks) {
      if (callback.onCommit() == commit) {
        try {
          callback.action().run();
        } catch (Throwable e) {
          LOG.log(
              Level.ERROR,
              "a callback at the end of a transaction failed; the others still run",
              e);
        }
      }
    }
  }

  /** The end of a nested transaction: its savepoint is released or rolled back to. */
  private final class NestedEnd implements TransactionSynchronization {

    private final TransactionStatus<?> nested;

    NestedEnd(TransactionStatus<?> nested) {
      this.nested = nested;
    }

    /** After Micronaut has made the outer transaction the current one. */
    @Override
    public int getOrder() {
      return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public void afterCompletion(Status status) {
      if (status == Status.COMMITTED) {
        released(nested);
      } else {
        run(undone(nested), false);
      }
    }
  }
}
