package io.outbox.purge;

import io.outbox.internal.Checks;
import io.outbox.internal.Conditions;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.NetworkTimeout;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineThread;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/** Deletes old events at an interval, batch by batch. Thread-safe. */
public final class OutboxPurgeScheduler implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(OutboxPurgeScheduler.class);
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  /** A purge holds up nobody but the next one. */
  private static final Duration MAX_ANSWER = Duration.ofMinutes(5);

  private final NetworkTimeout network = new NetworkTimeout();
  private final ConnectionProvider connectionProvider;
  private final EventPurger purger;
  private final Duration retention;
  private final int batchSize;
  private final long intervalSeconds;
  private final Clock clock;
  private final StoreSession session; // null: no store, and only the clock tells the time
  private final EngineThread thread;
  private boolean started;

  private OutboxPurgeScheduler(OutboxSettings from) {
    this.connectionProvider = from.connectionProvider;
    this.purger = from.purger;
    this.retention = from.purgeRetention;
    this.batchSize = from.purgeBatchSize;
    this.intervalSeconds = from.purgeIntervalSeconds;
    this.clock = from.clock;
    this.session = from.outboxStore == null ? null : session(from);
    this.thread =
        new EngineThread(
            "outbox-purge-",
            "purging failed",
            () -> {
              runOnce();
              return TimeUnit.SECONDS.toNanos(intervalSeconds);
            });
  }

  private static StoreSession session(OutboxSettings from) {
    CallWatch calls = new CallWatch(new Conditions(from.clock::instant)).patient(MAX_ANSWER);
    return new StoreSession(from.connectionProvider, from.outboxStore, calls);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts purging on its own thread, at once for the first time; does nothing if started.
   *
   * @throws IllegalStateException if it was closed
   */
  public synchronized void start() {
    if (isClosed()) {
      throw new IllegalStateException("the purge scheduler was closed; build a new one");
    }
    if (!started) {
      started = true;
      thread.start();
    }
  }

  /** Purges until nothing old is left, on the calling thread. Failures are logged. */
  public void runOnce() {
    long purged = 0;
    try {
      Instant before = now().minus(retention);
      int count;
      do {
        count = purgeBatch(before);
        purged += count;
      } while (count >= batchSize && !isClosed());
    } catch (Throwable e) {
      LOG.log(Level.ERROR, "purging failed; trying again at the next interval", e);
    }
    if (purged > 0) {
      long total = purged;
      LOG.log(Level.INFO, () -> "purged " + total + " events older than " + retention);
    }
  }

  /** Stops purging; a batch that is under way is finished. Bounded. */
  @Override
  public void close() {
    thread.close();
    try {
      thread.join(CLOSE_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean isClosed() {
    return thread.isClosed();
  }

  /** The database's, if it can be asked: the rows have it, and a wrong clock would delete them. */
  private Instant now() {
    return session == null
        ? clock.instant()
        : session.read(session.store()::currentTime).orElseGet(clock::instant);
  }

  private int purgeBatch(Instant before) throws SQLException {
    return session == null
        ? purgeUnprepared(before)
        : session.inTransaction(conn -> purger.purge(conn, before, batchSize));
  }

  /** In its own transaction, whatever mode the connection is in. */
  private int purgeUnprepared(Instant before) throws SQLException {
    try (Connection conn = connectionProvider.getConnection()) {
      int timeout = network.lower(conn, MAX_ANSWER);
      boolean done = false;
      try {
        int count = purger.purge(conn, before, batchSize);
        if (!conn.getAutoCommit()) {
          conn.commit();
        }
        done = true;
        return count;
      } finally {
        if (!done && !conn.getAutoCommit()) {
          conn.rollback(); // some pools, and some databases, would commit it
        }
        network.restore(conn, timeout);
      }
    }
  }

  /** Collects the settings of a purge scheduler. Not thread-safe. */
  public static final class Builder {
    private final OutboxSettings settings = new OutboxSettings();

    private Builder() {}

    /** Required. */
    public Builder connectionProvider(ConnectionProvider value) {
      settings.connectionProvider(value);
      return this;
    }

    /** Required. */
    public Builder purger(EventPurger value) {
      settings.purger(value);
      return this;
    }

    /** How long finished events are kept. Default 7 days. */
    public Builder retention(Duration value) {
      settings.purgeRetention(value);
      return this;
    }

    /** How many are deleted in one transaction at most. Default 500. */
    public Builder batchSize(int value) {
      settings.purgeBatchSize(value);
      return this;
    }

    /** Default 3600. */
    public Builder intervalSeconds(long value) {
      settings.purgeIntervalSeconds(value);
      return this;
    }

    /**
     * The store, for the database's time and for bounds on sessions that purge. Default: the
     * clock's time, and an abandoned session keeps its locks until the server ends it.
     */
    public Builder outboxStore(OutboxStore value) {
      settings.outboxStore(value);
      return this;
    }

    public Builder clock(Clock value) {
      settings.clock(value);
      return this;
    }

    /** Builds the scheduler; it does nothing before {@link OutboxPurgeScheduler#start()}. */
    public OutboxPurgeScheduler build() {
      Checks.required("connectionProvider", settings.connectionProvider);
      Checks.required("purger", settings.purger);
      return new OutboxPurgeScheduler(settings);
    }
  }
}
