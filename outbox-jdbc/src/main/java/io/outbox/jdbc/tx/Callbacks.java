package io.outbox.jdbc.tx;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;

/** What is to run at the end of a transaction, in the order it was registered. */
final class Callbacks {

  private static final Logger LOG = PrintableLogger.of(Callbacks.class);

  private final List<Runnable> beforeCommit = new ArrayList<>();
  private final List<Runnable> afterCommit = new ArrayList<>();
  private final List<Runnable> afterRollback = new ArrayList<>();

  /** How many there were at some moment. */
  record Mark(int afterCommit, int afterRollback) {}

  /** Stays through a rollback to a savepoint. */
  void beforeCommit(Runnable callback) {
    beforeCommit.add(callback);
  }

  void afterCommit(Runnable callback) {
    afterCommit.add(callback);
  }

  void afterRollback(Runnable callback) {
    afterRollback.add(callback);
  }

  Mark mark() {
    return new Mark(afterCommit.size(), afterRollback.size());
  }

  /** What one of them throws is the transaction's failure. */
  void runBeforeCommit() {
    beforeCommit.forEach(Runnable::run);
  }

  void runAfterCommit() {
    runAll("afterCommit", afterCommit);
  }

  void runAfterRollback() {
    runAll("afterRollback", afterRollback);
  }

  /** Forgets what was registered since, and tells it that it was rolled back. */
  void rollBackTo(Mark mark) {
    List<Runnable> since = afterRollback.subList(mark.afterRollback(), afterRollback.size());
    List<Runnable> rolledBack = List.copyOf(since);
    since.clear();
    afterCommit.subList(mark.afterCommit(), afterCommit.size()).clear();
    runAll("afterRollback", rolledBack);
  }

  private static void runAll(String kind, List<Runnable> callbacks) {
    for (Runnable callback : callbacks) {
      try {
        callback.run();
      } catch (Throwable e) {
        LOG.log(Level.ERROR, "an " + kind + " callback failed; the others still run", e);
      }
    }
  }
}
