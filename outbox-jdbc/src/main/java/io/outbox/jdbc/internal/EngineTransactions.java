package io.outbox.jdbc.internal;

import io.outbox.jdbc.JdbcTemplate;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Has the server end the session of an engine's transaction that it hears nothing of: its node may
 * have vanished, and everybody else waits for what it has locked. Bounds that are lower already
 * stay. H2 has no such setting, and seldom a network. Thread-safe.
 */
public final class EngineTransactions {

  private static final Logger LOG = PrintableLogger.of(EngineTransactions.class);

  /**
   * Parts of a SELECT, for the transaction alone. The second is for answers that nobody takes from
   * the network any more; only on Linux do servers know it. The third ends before the driver stops
   * waiting: a session that waits for a lock does not notice that its client is gone, and each try
   * would leave one behind until the server takes no more.
   */
  private static final String POSTGRES_BOUNDS =
      """
      set_config('idle_in_transaction_session_timeout',
          CASE WHEN current_setting('idle_in_transaction_session_timeout')::interval
              BETWEEN interval '1 ms' AND %1$s::interval
            THEN current_setting('idle_in_transaction_session_timeout') ELSE %1$s::text END, true),
        CASE WHEN version() LIKE '%%linux%%' THEN set_config('tcp_user_timeout',
          CASE WHEN current_setting('tcp_user_timeout')::int BETWEEN 1 AND %2$s
            THEN current_setting('tcp_user_timeout') ELSE %2$s::text END, true) END,
        set_config('lock_timeout', CASE WHEN current_setting('lock_timeout')::interval
              BETWEEN interval '1 ms' AND %3$s::interval
            THEN current_setting('lock_timeout') ELSE %3$s::text END, true)
      """;

  /**
   * For a transaction that only reads and says so with a separate statement: nobody waits for it,
   * but it keeps PostgreSQL from cleaning up. It waits for nobody who changes the table itself.
   */
  public static final String POSTGRES_READER =
      POSTGRES_BOUNDS.formatted("'30s'", "30000", "'500ms'");

  private static final String POSTGRES = "SELECT " + POSTGRES_BOUNDS.formatted("?", "?::int", "?");

  /**
   * For the session, so that it has to be undone. With the isolation of the next transaction, as
   * {@link Product#prepareTransaction}, whose variable MariaDB and MySQL name differently. MySQL
   * takes nothing but an integer, and LEAST of two of them is none.
   */
  private static final String MYSQL =
      "SET /*M! @@tx_isolation = 'READ-COMMITTED', */"
          + " /*!80000 @@transaction_isolation = 'READ-COMMITTED', */"
          + " @outbox_wait_timeout = @@session.wait_timeout,"
          + " @@session.wait_timeout = CAST(LEAST(@@session.wait_timeout, %s) AS UNSIGNED)";

  private static final String MYSQL_UNDO =
      "SET @@session.wait_timeout ="
          + " CAST(COALESCE(@outbox_wait_timeout, @@session.wait_timeout) AS UNSIGNED)";

  private final Product product;
  private final StoreErrors errors;
  private final JdbcTemplate jdbc;
  private volatile boolean refused; // by a relative of MySQL that has no such variables

  public EngineTransactions(Product product, StoreErrors errors) {
    this.product = product;
    this.errors = errors;
    this.jdbc = errors.template("prepare a transaction");
  }

  /** To be called first in a transaction. */
  public void prepare(Connection conn, Duration maxIdle) {
    try {
      if (product == Product.POSTGRESQL) {
        preparePostgres(conn, (int) maxIdle.toMillis());
      } else if (product != Product.MYSQL || refused) {
        product.prepareTransaction(conn);
      } else {
        prepareMySql(conn, Math.max(1, (maxIdle.toMillis() + 999) / 1000));
      }
    } catch (SQLException e) {
      throw errors.describe("prepare a transaction", e);
    }
  }

  private void preparePostgres(Connection conn, int millis) {
    String idle = millis + "ms";
    String lock = Math.max(1, millis / 2) + "ms";
    jdbc.query(conn, POSTGRES, row -> row.getString(1), idle, idle, millis, millis, lock, lock);
  }

  private void prepareMySql(Connection conn, long seconds) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(MYSQL.formatted(seconds));
    } catch (SQLException e) {
      if (!StoreErrors.isRefusal(e)) {
        throw e;
      }
      refused = true;
      LOG.log(
          Level.WARNING,
          "the server takes no wait_timeout for the outbox's own transactions; what a vanished"
              + " node has locked stays so until the server ends its session",
          e);
      product.prepareTransaction(conn);
    }
  }

  /** To be called after a transaction that was prepared. */
  public void ended(Connection conn) {
    if (product == Product.MYSQL && !refused) {
      jdbc.update(conn, MYSQL_UNDO);
    }
  }
}
