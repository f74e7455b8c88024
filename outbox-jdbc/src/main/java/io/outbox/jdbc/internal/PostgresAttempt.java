package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/**
 * Tries something in a transaction of PostgreSQL that goes on without it, if it would have to wait
 * for a lock for long.
 */
public final class PostgresAttempt {

  /** What is tried. */
  public interface Work {
    /** Whether it succeeded; if not, nothing of it stays. */
    boolean run() throws SQLException;
  }

  /** Planned for the table as it is. */
  private static final String SET =
      "SELECT current_setting('lock_timeout'), set_config('lock_timeout', ?, true),"
          + " current_setting('plan_cache_mode'),"
          + " set_config('plan_cache_mode', 'force_custom_plan', true)";

  /** Others may follow in this transaction, with bounds of their own. */
  private static final String RESTORE =
      "SELECT set_config('lock_timeout', ?, true), set_config('plan_cache_mode', ?, true)";

  private static final String BEGIN = "SAVEPOINT outbox_attempt";
  private static final String UNDO = "ROLLBACK TO SAVEPOINT outbox_attempt";

  private static final String LOCK_NOT_AVAILABLE = "55P03";
  private static final String NO_SAVEPOINT = "3B001";

  private final JdbcTemplate jdbc;
  private final String lockTimeout;

  /**
   * @param lockTimeout as PostgreSQL writes it; far below that after which a server looks for
   *     deadlocks, so that nobody becomes the victim of one
   */
  public PostgresAttempt(JdbcTemplate jdbc, String lockTimeout) {
    this.jdbc = jdbc;
    this.lockTimeout = lockTimeout;
  }

  /** Whether it succeeded; if not, the transaction is as it was before. */
  public boolean run(Connection conn, Work work) throws SQLException {
    Object[] before =
        jdbc.query(
                conn, SET, row -> List.<Object>of(row.getString(1), row.getString(3)), lockTimeout)
            .get(0)
            .toArray();
    boolean done;
    try (Statement statement = conn.createStatement()) {
      statement.execute(BEGIN);
      done = tried(statement, work);
    }
    jdbc.query(conn, RESTORE, row -> row.getString(1), before);
    return done;
  }

  private static boolean tried(Statement statement, Work work) throws SQLException {
    try {
      boolean done = work.run();
      if (!done) {
        statement.execute(UNDO);
      }
      return done;
    } catch (SQLException e) {
      if (!LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
        throw e;
      }
      undoWhatFailed(statement);
      return false;
    }
  }

  /** The driver may have undone it: with {@code autosave=always} it has savepoints, too. */
  private static void undoWhatFailed(Statement statement) throws SQLException {
    try {
      statement.execute(UNDO);
    } catch (SQLException e) {
      if (!NO_SAVEPOINT.equals(e.getSQLState())) {
        throw e;
      }
    }
  }
}
