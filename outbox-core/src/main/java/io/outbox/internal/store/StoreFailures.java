package io.outbox.internal.store;

import java.net.SocketTimeoutException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientException;
import java.util.Set;

/** Tells a database that is away or busy from one that refuses what it was given. */
public final class StoreFailures {

  /** What a failure means for what was to be written. */
  public enum Kind {
    /** The database cannot be reached, or can do nothing for anybody. */
    AWAY,
    /** Somebody else was in the way. */
    BUSY,
    /** The same will fail again, or nobody knows. */
    REFUSED
  }

  /**
   * MySQL's deadlock, lock wait timeout and "record has changed since last read", H2's lock
   * timeout.
   */
  private static final Set<Integer> CONFLICTS = Set.of(1213, 1205, 1020, 50200);

  /** MySQL's answers of a server that takes no writes, for example after a failover. */
  private static final Set<Integer> READ_ONLY = Set.of(1290, 1792, 1836);

  /** The server has ended the session: MySQL's "inactivity", MariaDB's "killed". */
  private static final Set<Integer> SESSION_ENDED = Set.of(4031, 1927);

  private static final int MAX_CAUSES = 10;

  private StoreFailures() {}

  public static Kind kindOf(Throwable failure) {
    Kind kind = Kind.REFUSED;
    Throwable cause = failure;
    for (int i = 0; cause != null && kind == Kind.REFUSED && i < MAX_CAUSES; i++) {
      if (cause instanceof StoreSession.NoConnection || cause instanceof SocketTimeoutException) {
        kind = Kind.AWAY;
      } else if (cause instanceof SQLException sql) {
        kind = kindOfEach(sql);
      }
      cause = cause.getCause();
    }
    return kind;
  }

  /** What a driver says is the cause; null if nobody can tell. */
  public static SQLException sqlCauseOf(Throwable failure) {
    try {
      Throwable cause = failure;
      for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
        if (cause instanceof SQLException sql && sql.getSQLState() != null) {
          return sql;
        }
        cause = cause.getCause();
      }
      return null;
    } catch (RuntimeException e) {
      return null;
    }
  }

  /** Drivers may wrap it. */
  public static boolean isOutOfMemory(Throwable failure) {
    Throwable cause = failure;
    for (int i = 0; cause != null && i < MAX_CAUSES; i++) {
      if (cause instanceof OutOfMemoryError) {
        return true;
      }
      cause = cause.getCause();
    }
    return false;
  }

  /** A batch has one exception, followed by the exceptions of its statements. */
  private static Kind kindOfEach(SQLException failure) {
    Kind kind = Kind.REFUSED;
    SQLException next = failure;
    for (int i = 0; next != null && kind == Kind.REFUSED && i < MAX_CAUSES; i++) {
      kind = kindOf(next);
      next = next.getNextException();
    }
    return kind;
  }

  private static Kind kindOf(SQLException failure) {
    String state = failure.getSQLState() == null ? "" : failure.getSQLState();
    if (failure instanceof SQLTransactionRollbackException
        || CONFLICTS.contains(failure.getErrorCode())
        || state.startsWith("40")
        || state.equals("55P03")) {
      return Kind.BUSY;
    }
    if (failure instanceof SQLTimeoutException) {
      return Kind.REFUSED; // too slow as it is: a smaller batch may do
    }
    // Connection (08), resources (53), shutdown (57P), a server that only reads (25006), a session
    // that was idle for too long (25P03, 57P05).
    boolean away =
        failure instanceof SQLTransientException
            || failure instanceof SQLNonTransientConnectionException
            || failure instanceof SQLRecoverableException
            || state.startsWith("08")
            || state.startsWith("53")
            || state.startsWith("57P")
            || state.equals("25006")
            || state.equals("25P03")
            || SESSION_ENDED.contains(failure.getErrorCode())
            || READ_ONLY.contains(failure.getErrorCode());
    return away ? Kind.AWAY : Kind.REFUSED;
  }
}
