package io.outbox.internal.store;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;

/**
 * Limits how long a driver waits for an answer, while a connection is in the engine's hands. Costs
 * no call to the database. A driver that cannot do that is left alone. Thread-safe.
 */
public final class NetworkTimeout {

  private static final Logger LOG = PrintableLogger.of(NetworkTimeout.class);

  /** There is nothing to restore. */
  static final int UNCHANGED = -1;

  private volatile boolean supported = true;

  /** Returns what to {@link #restore} later. Lowers only. */
  public int lower(Connection conn, Duration bound) {
    if (!supported) {
      return UNCHANGED;
    }
    try {
      int millis = (int) bound.toMillis();
      int before = conn.getNetworkTimeout();
      if (before > 0 && before <= millis) {
        return UNCHANGED;
      }
      // On the same thread: some drivers leave it to the executor, and the next call is ours.
      conn.setNetworkTimeout(Runnable::run, millis);
      return before;
    } catch (SQLFeatureNotSupportedException
        | UnsupportedOperationException
        | AbstractMethodError e) {
      supported = false;
      LOG.log(Level.DEBUG, "this driver has no network timeout", e);
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "the network timeout could not be set", e);
    }
    return UNCHANGED;
  }

  public void restore(Connection conn, int before) {
    if (before == UNCHANGED) {
      return;
    }
    try {
      conn.setNetworkTimeout(Runnable::run, before);
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "the network timeout of a broken connection stays", e);
    }
  }
}
