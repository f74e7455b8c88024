package io.outbox.spring;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.core.Ordered;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** One transaction, and what is to run at its end. Belongs to the thread of the transaction. */
final class TxScope implements TransactionSynchronization {

  private static final Logger LOG = PrintableLogger.of(TxScope.class);

  private record Callback(boolean onCommit, Runnable action) {}

  private final ConnectionHolder holder;
  private final TxScope outer;
  private final Consumer<TxScope> onEnd;
  private final List<Callback> callbacks = new ArrayList<>();
  private BeforeCommit beforeCommit;

  /** How many callbacks there were at each savepoint; none at those that are not listed. */
  private final Map<Object, Integer> savepoints = new IdentityHashMap<>();

  private boolean suspended;
  private boolean committing;
  private boolean committed;

  TxScope(ConnectionHolder holder, TxScope outer, Consumer<TxScope> onEnd) {
    this.holder = holder;
    this.outer = outer;
    this.onEnd = onEnd;
  }

  boolean isOf(ConnectionHolder other) {
    return holder == other;
  }

  /** The scope that was there when this one began, or null. */
  TxScope outer() {
    return outer;
  }

  boolean isSuspended() {
    return suspended;
  }

  boolean hasCommitted() {
    return committed;
  }

  Connection connection() {
    return holder.getConnection();
  }

  /** False if the callbacks before the commit are running already. */
  boolean beforeCommit(Runnable action) {
    if (committing) {
      return false;
    }
    if (beforeCommit == null) {
      beforeCommit = new BeforeCommit();
      TransactionSynchronizationManager.registerSynchronization(beforeCommit);
    }
    beforeCommit.add(action);
    return true;
  }

  void afterCommit(Runnable action) {
    callbacks.add(new Callback(true, action));
  }

  void afterRollback(Runnable action) {
    callbacks.add(new Callback(false, action));
  }

  /** Before all others, so that what they do after the commit is recognized. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void suspend() {
    suspended = true;
  }

  @Override
  public void resume() {
    suspended = false;
  }

  @Override
  public void savepoint(Object savepoint) {
    if (!callbacks.isEmpty()) {
      savepoints.put(savepoint, callbacks.size());
    }
  }

  @Override
  public void savepointRollback(Object savepoint) {
    int mark = savepoints.getOrDefault(savepoint, 0);
    savepoints.values().removeIf(later -> later > mark);
    List<Callback> undone = callbacks.subList(mark, callbacks.size());
    List<Callback> rolledBack = List.copyOf(undone);
    undone.clear();
    run(rolledBack, false);
  }

  @Override
  public void beforeCommit(boolean readOnly) {
    committing = true;
  }

  @Override
  public void afterCommit() {
    committed = true;
    end(true);
  }

  /** An unknown end counts as a rollback: if it was a commit, the poller delivers. */
  @Override
  public void afterCompletion(int status) {
    onEnd.accept(this);
    end(status == STATUS_COMMITTED);
  }

  private void end(boolean commit) {
    List<Callback> atEnd = List.copyOf(callbacks);
    callbacks.clear();
    run(atEnd, commit);
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
}
