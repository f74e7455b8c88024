package io.outbox.dispatch;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;

/** Tells a database that is away or busy from one that refuses what it was given. */
final class StoreFailures {

  /** Deadlock and lock wait timeout, "record has changed since last read". */
  private static final Set<Integer> MYSQL_CONFLICTS = Set.of(1213, 1205, 1020);

  private static final int MAX_CAUSES = 10;

  private StoreFailures() {}

  /** Whether the same batch may well succeed a little later. */
  static boolean mayPass(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof SQLException sql && mayPass(sql)) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  private static boolean mayPass(SQLException failure) {
    if (failure instanceof SQLTimeoutException) {
      return false; // too slow as it is: a smaller batch may do
    }
    if (failure instanceof SQLTransientException
        || failure instanceof SQLTransientConnectionException
        || failure instanceof SQLNonTransientConnectionException
        || failure instanceof SQLRecoverableException
        || MYSQL_CONFLICTS.contains(failure.getErrorCode())) {
      return true;
    }
    String state = failure.getSQLState();
    // Connection (08), conflict (40), resources (53), shutdown (57P), lock not available (55P03).
    return state != null
        && (state.startsWith("08")
            || state.startsWith("40")
            || state.startsWith("53")
            || state.startsWith("57P")
            || state.equals("55P03"));
  }
}
