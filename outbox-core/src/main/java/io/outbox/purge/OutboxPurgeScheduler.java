package io.outbox.purge;

import io.outbox.internal.Checks;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.util.DaemonThreadFactory;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Deletes old events at an interval, batch by batch. Thread-safe. */
public final class OutboxPurgeScheduler implements AutoCloseable {

  private static final Logger LOG = System.getLogger(OutboxPurgeScheduler.class.getName());
  private static final long CLOSE_MILLIS = 5000;

  private final ConnectionProvider connectionProvider;
  private final EventPurger purger;
  private final Duration retention;
  private final int batchSize;
  private final long intervalSeconds;
  private final Clock clock;
  private final CountDownLatch closing = new CountDownLatch(1);
  private Thread thread;

  private OutboxPurgeScheduler(Builder from) {
    this.connectionProvider = from.connectionProvider;
    this.purger = from.purger;
    this.retention = from.retention;
    this.batchSize = from.batchSize;
    this.intervalSeconds = from.intervalSeconds;
    this.clock = from.clock;
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts purging on a thread of its own, for the first time at once; once started, does nothing.
   *
   * @throws IllegalStateException if it was closed
   */
  public synchronized void start() {
    if (isClosed()) {
      throw new IllegalStateException("the purge scheduler was closed; build a new one");
    }
    if (thread == null) {
      thread = new DaemonThreadFactory("outbox-purge-").newThread(this::run);
      thread.start();
    }
  }

  /** Purges until nothing old is left, on the calling thread. Failures are logged. */
  public void runOnce() {
    long purged = 0;
    try {
      Instant before = clock.instant().minus(retention);
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
    closing.countDown();
    Thread running;
    synchronized (this) {
      running = thread;
    }
    if (running != null && running != Thread.currentThread()) {
      try {
        running.join(CLOSE_MILLIS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private boolean isClosed() {
    return closing.getCount() == 0;
  }

  private void run() {
    while (!isClosed()) {
      runOnce();
      try {
        closing.await(intervalSeconds, TimeUnit.SECONDS);
      } catch (InterruptedException e) {
        // Nobody but a stranger interrupts this thread, and it ends by closing only.
        LOG.log(Level.WARNING, "the purge thread was interrupted and goes on");
      }
    }
  }

  /** In a transaction of its own, whatever mode the connection comes in. */
  private int purgeBatch(Instant before) throws SQLException {
    try (Connection conn = connectionProvider.getConnection()) {
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
      }
    }
  }

  /** Collects the settings of a purge scheduler. Not thread-safe. */
  public static final class Builder {
    private ConnectionProvider connectionProvider;
    private EventPurger purger;
    private Duration retention = Duration.ofDays(7);
    private int batchSize = 500;
    private long intervalSeconds = 3600;
    private Clock clock = Clock.systemUTC();

    private Builder() {}

    /** Required. */
    public Builder connectionProvider(ConnectionProvider value) {
      this.connectionProvider = Objects.requireNonNull(value, "connectionProvider");
      return this;
    }

    /** Required. */
    public Builder purger(EventPurger value) {
      this.purger = Objects.requireNonNull(value, "purger");
      return this;
    }

    /** How long finished events are kept. Default 7 days. */
    public Builder retention(Duration value) {
      this.retention = Checks.notNegative("retention", value);
      return this;
    }

    /** How many are deleted in one transaction at most. Default 500. */
    public Builder batchSize(int value) {
      this.batchSize = Checks.atLeast(1, "batchSize", value);
      return this;
    }

    /** Default 3600. */
    public Builder intervalSeconds(long value) {
      this.intervalSeconds = Checks.atLeast(1, "intervalSeconds", value);
      return this;
    }

    public Builder clock(Clock value) {
      this.clock = Objects.requireNonNull(value, "clock");
      return this;
    }

    /** Builds the scheduler; it does nothing before {@link OutboxPurgeScheduler#start()}. */
    public OutboxPurgeScheduler build() {
      Checks.required("connectionProvider", connectionProvider);
      Checks.required("purger", purger);
      return new OutboxPurgeScheduler(this);
    }
  }
}
