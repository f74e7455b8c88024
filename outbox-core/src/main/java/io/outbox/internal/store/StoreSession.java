package io.outbox.internal.store;

import io.outbox.internal.tx.OwnTransaction;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;

/**
 * Runs the engine's own work on the store, each piece on a separate connection that is returned as
 * it came.
 */
public final class StoreSession {

  private static final Logger LOG = PrintableLogger.of(StoreSession.class);

  /** How often something is tried that others are in the way of. */
  private static final int TRIES = 5;

  private final ConnectionProvider connections;
  private final OutboxStore store;
  private final CallWatch calls; // null: no bounds
  private final Duration lease; // null: of those that are renewed by this, if any
  private final NetworkTimeout network = new NetworkTimeout();

  /** Some work on a connection. */
  @FunctionalInterface
  public interface Work<T> {
    T on(Connection conn) throws SQLException;
  }

  /** The database could not be reached, or the transaction failed. */
  public static class StoreFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    StoreFailure(Exception cause) {
      super("the outbox cannot work on its database: " + cause.getMessage(), cause);
    }
  }

  /** There was no connection to be had, whatever a pool or driver throws then. */
  public static final class NoConnection extends StoreFailure {
    private static final long serialVersionUID = 1L;

    NoConnection(Exception cause) {
      super(cause);
    }
  }

  /** Without bounds: for work that somebody else asked for, and waits for. */
  public StoreSession(ConnectionProvider connections, OutboxStore store) {
    this(connections, store, null);
  }

  /** For an engine: what it asks the database for has the bounds of {@code calls}. */
  public StoreSession(ConnectionProvider connections, OutboxStore store, CallWatch calls) {
    this.connections = Objects.requireNonNull(connections, "connectionProvider");
    this.store = Objects.requireNonNull(store, "outboxStore");
    this.calls = calls;
    this.lease = null;
  }

  private StoreSession(StoreSession from, Duration lease) {
    this.connections = from.connections;
    this.store = from.store;
    this.calls = from.calls;
    this.lease = lease;
  }

  /**
   * For renewing such leases: an answer that does not come fails early enough for a second try on
   * another connection.
   */
  public StoreSession renewing(Duration what) {
    return new StoreSession(this, what);
  }

  public ConnectionProvider connections() {
    return connections;
  }

  public OutboxStore store() {
    return store;
  }

  /** As {@link #inTransaction}; tries again, a few times, if others were in the way. */
  public <T> T persistently(Work<T> work) {
    for (int attempt = 1; ; attempt++) {
      try {
        return inTransaction(work);
      } catch (RuntimeException e) {
        if (attempt == TRIES || StoreFailures.kindOf(e) != StoreFailures.Kind.BUSY) {
          throw e;
        }
        LOG.log(Level.DEBUG, "others were in the way in the database; trying again", e);
      }
    }
  }

  /** Commits what {@code work} did, or rolls it back if it throws. */
  public <T> T inTransaction(Work<T> work) {
    return inTransaction(work, calls != null);
  }

  /**
   * For work that locks nothing: nobody waits for its session, so that it need not cost what a
   * bound on the server does. Where it needs no transaction it leaves none open if it vanishes.
   */
  public <T> T lockingNothing(Work<T> work) {
    return store.readsInTransaction() ? inTransaction(work, false) : withoutTransaction(work);
  }

  private <T> T inTransaction(Work<T> work, boolean bounded) {
    return onConnection(
        conn -> {
          OwnTransaction own = OwnTransaction.on(conn);
          try {
            prepare(conn, bounded);
            T result = work.on(conn);
            own.commit();
            return result;
          } finally {
            if (!own.end() || bounded && !isAsBefore(conn)) {
              abort(conn);
            } else {
              own.close();
            }
          }
        });
  }

  private void prepare(Connection conn, boolean bounded) {
    if (bounded) {
      store.prepareTransaction(conn, calls.bound());
    } else {
      store.prepareTransaction(conn);
    }
  }

  private boolean isAsBefore(Connection conn) {
    try {
      store.transactionEnded(conn);
      return true;
    } catch (RuntimeException e) {
      LOG.log(Level.DEBUG, "a connection keeps settings of the engine's; it is not used again", e);
      return false;
    }
  }

  /** Nobody knows what state it is in. */
  private static void abort(Connection conn) {
    try {
      conn.abort(Runnable::run);
    } catch (SQLException | RuntimeException | AbstractMethodError e) {
      LOG.log(Level.DEBUG, "a connection could not be aborted; it is closed anyway", e);
    }
  }

  /** Runs {@code work} each of whose statements commits by itself. */
  public <T> T withoutTransaction(Work<T> work) {
    return onConnection(
        conn -> {
          if (conn.getAutoCommit()) {
            return work.on(conn);
          }
          conn.setAutoCommit(true);
          try {
            return work.on(conn);
          } finally {
            restoreAutoCommit(conn);
          }
        });
  }

  /** Runs {@code work} that only reads, each time what is committed then. */
  public <T> T read(Work<T> work) {
    return withoutTransaction(work);
  }

  private <T> T onConnection(Work<T> work) {
    if (calls == null) {
      return onUnwatchedConnection(work);
    }
    Object call = calls.begin();
    try {
      return onUnwatchedConnection(
          conn -> {
            int before = network.lower(conn, lease == null ? calls.answer() : calls.answer(lease));
            try {
              return work.on(conn);
            } finally {
              network.restore(conn, before);
            }
          });
    } finally {
      calls.end(call);
    }
  }

  private <T> T onUnwatchedConnection(Work<T> work) {
    Connection conn = connect();
    try {
      return work.on(conn);
    } catch (SQLException e) {
      throw new StoreFailure(e);
    } finally {
      close(conn);
    }
  }

  private Connection connect() {
    try {
      return connections.getConnection();
    } catch (SQLException | RuntimeException e) {
      throw new NoConnection(e);
    }
  }

  /** What was committed stays so: rows that were claimed must not be forgotten now. */
  private static void close(Connection conn) {
    try {
      conn.close();
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "a connection could not be closed", e);
    }
  }

  private static void restoreAutoCommit(Connection conn) {
    try {
      conn.setAutoCommit(false);
    } catch (SQLException | RuntimeException e) {
      LOG.log(Level.DEBUG, "auto-commit could not be restored on a broken connection", e);
    }
  }
}
