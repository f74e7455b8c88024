package io.outbox.jdbc.internal.pending;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.jdbc.internal.PostgresAttempt;
import io.outbox.jdbc.internal.StoreContext;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * Lets nodes claim large batches one after the other. Claims that overlap look at the same rows,
 * and lock again what others have claimed since their snapshots: four nodes used half as much of
 * the server again for each event. For speed alone: whoever waits for too long claims anyway, and
 * does not wait again for a while.
 */
final class ClaimTurn {

  private static final Logger LOG = PrintableLogger.of(ClaimTurn.class);

  /** Smaller batches are over before others get in their way. */
  private static final int MANY = 200;

  /** Of the locks that applications take by two numbers, the first one of these. */
  private static final int SPACE = 0x6f757462;

  private static final long NO_WAIT_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Longer than claims of eight nodes take; a node that is far away or stopped takes longer. */
  private static final String MAX_WAIT = "100ms";

  private static final String ACTION = "claim pending events";

  private final StoreContext context;
  private final JdbcTemplate jdbc;
  private final PostgresAttempt attempt;
  private final String trySql;
  private final String waitSql;
  private volatile long lastInVain = System.nanoTime() - NO_WAIT_NANOS;

  ClaimTurn(StoreContext context) {
    String lock =
        "_xact_lock(%s, '%s'::regclass::oid::int4)".formatted(SPACE, context.table.toString());
    this.context = context;
    this.jdbc = context.template(ACTION);
    this.attempt = new PostgresAttempt(jdbc, MAX_WAIT);
    // Only where each statement sees what was committed before it: else a claim that has waited
    // would fail at the first row that somebody has claimed meanwhile.
    this.trySql =
        """
        SELECT CASE WHEN current_setting('transaction_isolation') LIKE 'read %%'
          THEN pg_try_advisory%s ELSE true END
        """
            .formatted(lock);
    this.waitSql = "SELECT pg_advisory" + lock + "::text";
  }

  /** To be called in the transaction of a claim, whose end is the end of the turn. */
  void await(Connection conn, int limit) {
    try {
      if (limit >= MANY
          && System.nanoTime() - lastInVain >= NO_WAIT_NANOS
          && !conn.getAutoCommit()
          && !jdbc.query(conn, trySql, row -> row.getBoolean(1)).get(0)
          && !attempt.run(conn, () -> awaitOthers(conn))) {
        lastInVain = System.nanoTime();
        LOG.log(Level.DEBUG, "a claim does not wait any longer for those of other nodes");
      }
    } catch (SQLException e) {
      throw context.errors.describe(ACTION, e);
    }
  }

  private boolean awaitOthers(Connection conn) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      return statement.execute(waitSql);
    }
  }
}
