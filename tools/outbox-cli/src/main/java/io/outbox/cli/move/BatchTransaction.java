package io.outbox.cli.move;

import io.outbox.cli.connect.OutboxSession;
import io.outbox.jdbc.store.PostgresOutboxStore;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** A transaction that is tried again if others were in its way, or the connection broke. */
final class BatchTransaction {

  private static final int ATTEMPTS = 6;

  /** Conflicts, broken connections, duplicates of another import, lock timeouts. */
  private static final Set<String> PASSING = Set.of("40", "08", "23", "57", "HYT00", "55P03");

  private static final Set<Integer> PASSING_CODES = Set.of(1205, 1213, 1020);

  /** What is done in it. */
  interface Work<T> {
    T on(Connection conn) throws SQLException;
  }

  private final OutboxSession session;

  BatchTransaction(OutboxSession session) {
    this.session = session;
  }

  <T> T run(Work<T> work) throws SQLException {
    for (int attempt = 1; ; attempt++) {
      try {
        return once(work);
      } catch (SQLException | RuntimeException e) {
        // Closing it rolls back.
        session.reconnect();
        if (attempt == ATTEMPTS || !isPassing(e)) {
          throw e;
        }
        int millis = ThreadLocalRandom.current().nextInt(50, 100) << attempt;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
      }
    }
  }

  private <T> T once(Work<T> work) throws SQLException {
    Connection conn = UtcConnection.of(session);
    conn.setAutoCommit(false);
    session.store().prepareTransaction(conn);
    if (session.store() instanceof PostgresOutboxStore) {
      // It would keep a plan that it made while the outbox table was empty.
      execute(conn, "SET LOCAL plan_cache_mode = force_custom_plan");
    }
    T result = work.on(conn);
    conn.commit();
    conn.setAutoCommit(true);
    return result;
  }

  private static void execute(Connection conn, String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }

  private static boolean isPassing(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException e) {
        String state = String.valueOf(e.getSQLState());
        return PASSING.contains(state)
            || state.length() > 2 && PASSING.contains(state.substring(0, 2))
            || PASSING_CODES.contains(e.getErrorCode());
      }
    }
    return false;
  }
}
