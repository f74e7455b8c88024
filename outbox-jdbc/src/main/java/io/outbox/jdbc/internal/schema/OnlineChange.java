package io.outbox.jdbc.internal.schema;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.jdbc.internal.Product;
import io.outbox.jdbc.internal.StoreErrors;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Changes a table beside those who write to it, one statement at a time. A change that waits for a
 * lock makes everybody wait who comes after it, so it waits for a moment only, gives way, and tries
 * again.
 */
final class OnlineChange {

  private static final Logger LOG = PrintableLogger.named("io.outbox.jdbc.OutboxSchema");

  private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);
  private static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private static final String POSTGRES_WAITS = "SET LOCAL lock_timeout = '100ms'";
  private static final String MYSQL_WAITS =
      "SET @outbox_lock_wait = @@session.lock_wait_timeout, @@session.lock_wait_timeout = 1";
  private static final String MYSQL_WAITS_AS_BEFORE =
      "SET @@session.lock_wait_timeout = @outbox_lock_wait";

  private final Connection conn;
  private final Product product;
  private final StoreErrors errors;
  private final PostgresIndexes indexes;

  /** On a connection without a transaction. */
  OnlineChange(Connection conn, Product product, StoreErrors errors) {
    this.conn = conn;
    this.product = product;
    this.errors = errors;
    this.indexes = new PostgresIndexes(conn, errors);
  }

  void run(String sql) {
    try {
      if (product != Product.POSTGRESQL || !indexes.createBesideWriters(sql)) {
        change(sql);
      }
    } catch (SQLException e) {
      throw errors.describe("change the table", e);
    }
  }

  private void change(String sql) throws SQLException {
    long deadline = System.nanoTime() + PATIENCE_NANOS;
    for (long pause = SHORTEST_PAUSE_NANOS; ; pause = Math.min(LONGEST_PAUSE_NANOS, 2 * pause)) {
      try {
        changeOnce(sql);
        return;
      } catch (SQLException e) {
        if (!isLocked(e)
            || System.nanoTime() - deadline > 0
            || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
      if (pause == SHORTEST_PAUSE_NANOS) {
        LOG.log(
            Level.INFO,
            "a change of the outbox table gives way to transactions that have locked it, and tries"
                + " again for a minute");
      }
      LockSupport.parkNanos(pause + ThreadLocalRandom.current().nextLong(pause));
    }
  }

  private void changeOnce(String sql) throws SQLException {
    if (product == Product.POSTGRESQL) {
      try (OwnTransaction own = OwnTransaction.on(conn)) {
        execute(POSTGRES_WAITS);
        execute(sql);
        own.commit();
      }
    } else if (product == Product.MYSQL && isQuickOnMySql(sql)) {
      changeQuickly(sql);
    } else {
      execute(sql);
    }
  }

  /**
   * What takes long needs its last lock when it is nearly done, and all would have been in vain.
   */
  private static boolean isQuickOnMySql(String sql) {
    return sql.startsWith("ALTER TABLE") && !sql.contains("GENERATED");
  }

  private void changeQuickly(String sql) throws SQLException {
    execute(MYSQL_WAITS);
    SQLException failure = null;
    try {
      execute(sql);
    } catch (SQLException e) {
      failure = e;
    }
    try {
      execute(MYSQL_WAITS_AS_BEFORE);
    } catch (SQLException e) {
      conn.abort(Runnable::run); // nobody else is to get it
      failure = failure == null ? e : failure;
    }
    if (failure != null) {
      throw failure;
    }
  }

  /** PostgreSQL's lock_not_available, MySQL's lock wait timeout. */
  private boolean isLocked(SQLException e) {
    return product == Product.POSTGRESQL
        ? "55P03".equals(e.getSQLState())
        : product == Product.MYSQL && e.getErrorCode() == 1205;
  }

  private void execute(String sql) throws SQLException {
    try (Statement statement = conn.createStatement()) {
      statement.execute(sql);
    }
  }
}
