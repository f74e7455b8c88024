package io.outbox.poller;

import io.outbox.internal.Checks;
import io.outbox.internal.OwnerId;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.poll.PlainSink;
import io.outbox.internal.poll.PollCycle;
import io.outbox.internal.poll.PollDrain;
import io.outbox.internal.poll.PollSink;
import io.outbox.internal.poll.SinkHandler;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.BacklogReport;
import io.outbox.internal.store.LagReport;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.util.DaemonThreadFactory;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Clock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Looks for events that the hot path did not deliver: at an interval, when a retry or delayed event
 * is due, and without a pause while a dispatcher makes progress. A custom handler gets one batch
 * per interval, because it reports no progress. Thread-safe.
 */
public final class OutboxPoller implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(OutboxPoller.class);

  /** When nobody said how long a lease lasts. */
  private static final Duration DEFAULT_CLAIM_TIMEOUT = Duration.ofMinutes(5);

  private static final long CLOSE_MILLIS = 5000;
  private static final long UNKNOWN_STATUS_CHECK_NANOS = TimeUnit.HOURS.toNanos(1);

  private final StoreSession session;
  private final PollSink sink;
  private final PollDrain drain;
  private final long intervalNanos;
  private final RepeatedWarning failures = new RepeatedWarning(LOG, Level.ERROR);
  private final RepeatedWarning conflicts = new RepeatedWarning(LOG, Level.WARNING);
  private final Object lifecycle = new Object();
  private Thread thread;
  private volatile boolean closed;
  private long nextStatusCheckNanos = System.nanoTime();
  private final LagReport lag;

  private OutboxPoller(OutboxSettings from, OutboxPollerHandler handler) {
    PollSink ours = SinkHandler.sinkOf(handler);
    sink =
        ours != null
            ? ours
            : new PlainSink(handler, from.connectionProvider, from.outboxStore, from.clock);
    session = new StoreSession(from.connectionProvider, from.outboxStore, sink.calls());
    String owner = from.ownerId == null ? null : OwnerId.unique(from.ownerId);
    Duration lease = from.claimTimeout == null ? DEFAULT_CLAIM_TIMEOUT : from.claimTimeout;
    sink.claimsAs(owner, lease);
    intervalNanos = TimeUnit.MILLISECONDS.toNanos(from.intervalMs);
    MetricsExporter metrics = SafeMetrics.around(from.metrics);
    BacklogReport backlog = new BacklogReport(session, metrics);
    lag = new LagReport(session, sink.clock(), metrics);
    drain =
        new PollDrain(
            sink,
            new PollCycle(session, sink, lag, from.skipRecent, owner, lease),
            from.batchSize,
            session.store().limitsBytes(),
            intervalNanos,
            () -> {
              backlog.reportIfDue();
              lag.reportIfDue();
            },
            () -> closed);
  }

  public static Builder builder() {
    return new Builder();
  }

  /**
   * Starts polling on its own thread; does nothing if started.
   *
   * @throws IllegalStateException if it was closed
   */
  public void start() {
    synchronized (lifecycle) {
      if (closed) {
        throw new IllegalStateException("the poller was closed; build a new one");
      }
      if (thread == null) {
        thread = new DaemonThreadFactory("outbox-poller-").newThread(this::run);
        thread.start();
      }
    }
  }

  /** Runs one cycle on the calling thread: at most one batch. Failures are logged. */
  public void poll() {
    try {
      if (!closed) {
        lag.report();
        drain.once();
      }
    } catch (Throwable e) {
      failures.log(() -> "polling failed; trying again at the next interval", e);
    }
  }

  /** Stops polling. Waits for a cycle that is under way, for a bounded time. */
  @Override
  public void close() {
    Thread running;
    synchronized (lifecycle) {
      closed = true;
      running = thread;
    }
    sink.wakeUps().close();
    if (running == null || running == Thread.currentThread()) {
      return;
    }
    try {
      running.join(CLOSE_MILLIS);
      if (running.isAlive()) {
        LOG.log(Level.WARNING, "a poll is still waiting for the database; it is left to end alone");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (!closed) {
      try {
        sink.wakeUps().clear(sink.clock());
        drain.run();
        quietly(this::reportUnknownStatus);
      } catch (Throwable e) {
        survive(() -> failed(e));
      }
      try {
        sink.wakeUps().await(intervalNanos, sink.clock());
      } catch (Throwable e) {
        // Nobody but a stranger interrupts this thread, and it ends by closing only.
        survive(() -> failures.log(() -> "the poller was interrupted and goes on", e));
      }
    }
  }

  private static void survive(Runnable log) {
    try {
      log.run();
    } catch (Throwable unsaid) {
      // There may be no memory left for it.
    }
  }

  private void failed(Throwable e) {
    if (StoreFailures.isOutOfMemory(e) && drain.shrink()) {
      failures.log(() -> "a batch of events does not fit into memory; trying smaller ones", e);
      sink.wakeUps().now();
    } else if (StoreFailures.kindOf(e) == StoreFailures.Kind.BUSY) {
      // What is due must not wait for the interval because another transaction was in the way.
      conflicts.log(() -> "a poll gave way to another transaction; trying again soon", e);
      sink.wakeUps().now();
    } else {
      failures.log(() -> "polling failed; trying again at the next interval", e);
    }
  }

  /** Looking at the table is not worth a poll that is not made. */
  private void quietly(Runnable report) {
    try {
      report.run();
    } catch (Throwable e) {
      failures.log(() -> "the table could not be looked at", e);
    }
  }

  private void reportUnknownStatus() {
    if (System.nanoTime() - nextStatusCheckNanos < 0) {
      return;
    }
    nextStatusCheckNanos = System.nanoTime() + UNKNOWN_STATUS_CHECK_NANOS;
    long rows = session.read(conn -> session.store().countUnknownStatus(conn));
    if (rows > 0) {
      LOG.log(
          Level.WARNING,
          () -> rows + " rows of the outbox have an unknown status; they are left alone");
    }
  }

  /** Collects the settings of a poller. Not thread-safe. */
  public static final class Builder {
    private final OutboxSettings settings = new OutboxSettings();
    private OutboxPollerHandler handler;

    private Builder() {}

    /** Required. */
    public Builder connectionProvider(ConnectionProvider value) {
      settings.connectionProvider(value);
      return this;
    }

    /** Required. */
    public Builder outboxStore(OutboxStore value) {
      settings.outboxStore(value);
      return this;
    }

    /** Required. */
    public Builder handler(OutboxPollerHandler value) {
      this.handler = Objects.requireNonNull(value, "handler");
      return this;
    }

    /** Leaves events that were created less than this ago to the hot path. Default zero. */
    public Builder skipRecent(Duration value) {
      settings.skipRecent(value);
      return this;
    }

    /** How many events a poll fetches at most. Default 50. */
    public Builder batchSize(int value) {
      settings.batchSize(value);
      return this;
    }

    /** How long to wait after the table was found empty. Default 5000. */
    public Builder intervalMs(long value) {
      settings.intervalMs(value);
      return this;
    }

    public Builder metrics(MetricsExporter value) {
      settings.metrics(value);
      return this;
    }

    /** The clock for a custom handler; a dispatcher's handler uses its dispatcher's clock. */
    public Builder clock(Clock value) {
      settings.clock(value);
      return this;
    }

    /**
     * Claims the events it fetches, for several nodes on one table.
     *
     * @param ownerId names this node in the table; a random part is added to it
     * @param timeout how long a lease lasts when its owner is gone; the same on all nodes
     */
    public Builder claimLocking(String ownerId, Duration timeout) {
      settings.claimLocking(ownerId, timeout);
      return this;
    }

    /** Builds the poller; it does nothing before {@link OutboxPoller#start()}. */
    public OutboxPoller build() {
      Checks.required("connectionProvider", settings.connectionProvider);
      Checks.required("outboxStore", settings.outboxStore);
      Checks.required("handler", handler);
      return new OutboxPoller(settings, handler);
    }
  }
}
