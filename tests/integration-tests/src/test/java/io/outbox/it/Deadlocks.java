package io.outbox.it;

import java.sql.SQLException;
import java.util.Set;

/**
 * A database ends one of two transactions that wait for each other, whoever began them. An
 * application begins its transaction again, and so does a test.
 */
final class Deadlocks {

  private static final Set<String> STATES = Set.of("40001", "40P01");
  private static final int TRIES = 20;

  private Deadlocks() {}

  /** One transaction, or one statement that is one. */
  interface Work<T, E extends Exception> {
    T run() throws E;
  }

  /** Does it again while it loses deadlocks. */
  static <T, E extends Exception> T retried(Work<T, E> work) throws E {
    for (int n = 1; ; n++) {
      try {
        return work.run();
      } catch (Exception e) {
        if (n == TRIES || !isDeadlock(e)) {
          throw e;
        }
      }
    }
  }

  static boolean isDeadlock(Throwable failure) {
    for (Throwable e = failure; e != null; e = e.getCause()) {
      if (e instanceof SQLException sql && STATES.contains(String.valueOf(sql.getSQLState()))) {
        return true;
      }
    }
    return false;
  }
}
