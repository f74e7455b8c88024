package io.outbox.poller;

import io.outbox.internal.Checks;
import io.outbox.internal.OwnerId;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.SafeMetrics;
import io.outbox.internal.poll.PlainSink;
import io.outbox.internal.poll.PollCycle;
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

  /** Each claim is a commit: with many events to deliver there should be few of them. */
  private static final long BACKLOG_FACTOR = 20;

  private static final Logger LOG = PrintableLogger.of(OutboxPoller.class);

  /** When nobody said how long a lease lasts. */
  private static final Duration DEFAULT_CLAIM_TIMEOUT = Duration.ofMinutes(5);

  private static final long CLOSE_MILLIS = 5000;
  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long UNKNOWN_STATUS_CHECK_NANOS = TimeUnit.HOURS.toNanos(1);

  private final StoreSession session;
  private final PollSink sink;
  private final PollCycle cycle;
  private final int batchSize;
  private final int backlogBatchSize;
  private final long intervalNanos;
  private final RepeatedWarning failures = new RepeatedWarning(LOG, Level.ERROR);
  private final RepeatedWarning conflicts = new RepeatedWarning(LOG, Level.WARNING);
  private final Object lifecycle = new Object();
  private Thread thread;
  private volatile boolean closed;
  private final MetricsExporter metrics;
  private int firstBatch; // of a drain
  private long start = System.nanoTime(); // when it last began at the first row
  private PollCycle.Position passed; // where the last drain ended
  private long nextStatusCheckNanos = System.nanoTime();
  private final BacklogReport backlog;
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
    batchSize = from.batchSize;
    firstBatch = batchSize;
    backlogBatchSize =
        session.store().limitsBytes()
            ? (int) Math.min(Integer.MAX_VALUE, BACKLOG_FACTOR * batchSize)
            : batchSize;
    intervalNanos = TimeUnit.MILLISECONDS.toNanos(from.intervalMs);
    metrics = new SafeMetrics(from.metrics);
    backlog = new BacklogReport(session, metrics);
    lag = new LagReport(session, sink.clock(), metrics);
    cycle = new PollCycle(session, sink, lag, from.skipRecent, owner, lease);
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
      int limit = Math.min(batchSize, sink.availableCapacity());
      if (!closed) {
        lag.report();
      }
      if (!closed && limit > 0) {
        runCycle(limit, null);
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
        drain();
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
    if (firstBatch > 1 && StoreFailures.isOutOfMemory(e)) {
      firstBatch = 1;
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

  /** Polls as long as there is more, and progress. */
  private void drain() throws InterruptedException {
    PollCycle.Position cursor = null;
    int wanted = firstBatch;
    if (passed != null
        && System.nanoTime() - start < intervalNanos
        && !sink.unwantedRoutes().isEmpty()) {
      // Not from the start: what is not wanted may be most of the table.
      cursor = passed;
    } else {
      start = System.nanoTime();
    }
    passed = null;
    while (!closed) {
      long waitNanos = start + intervalNanos - System.nanoTime();
      if (waitNanos <= 0) {
        // Rows that became visible behind the cursor are found from the start again.
        start = System.nanoTime();
        waitNanos = intervalNanos;
        cursor = null;
        passed = null;
      }
      backlog.reportIfDue();
      lag.reportIfDue();
      int limit = Math.min(wanted, sink.availableCapacity());
      if (limit <= 0 || !sink.isReady()) {
        if (!sink.drains()) {
          return;
        }
        awaitTurn(waitNanos);
        continue;
      }
      PollCycle.Result result = runCycle(limit, cursor);
      firstBatch = (int) Math.min(batchSize, 2L * firstBatch);
      if (!sink.drains()) {
        return;
      }
      wanted = firstBatch < batchSize ? firstBatch : next(result);
      result.nextDue().ifPresent(sink.wakeUps()::at);
      if (!result.trusted()) {
        continue;
      }
      passed = result.refused() ? passed : result.end();
      if (!result.full() && !result.refused()) {
        return;
      }
      if (result.refused()) {
        await(sink::awaitCapacity, waitNanos);
        continue; // from the same cursor, so that what was refused is not passed
      }
      if (result.end() == null && result.accepted() == 0) {
        if (result.held() == 0) {
          return; // nothing of it will go away by waiting
        }
        await(sink::awaitProgress, waitNanos);
      }
      cursor = result.end();
    }
  }

  /** How many to fetch next: what does not fit is not to be locked for nothing. */
  private int next(PollCycle.Result result) {
    if (result.limited()) {
      return Math.min(backlogBatchSize, Math.max(2, 2 * (result.accepted() + result.held())));
    }
    return result.full() ? backlogBatchSize : batchSize;
  }

  private void awaitTurn(long nanos) throws InterruptedException {
    if (sink.isReady()) {
      await(sink::awaitCapacity, nanos);
    } else {
      sink.wakeUps().pause(Math.min(nanos, STEP_NANOS));
    }
  }

  private interface Wait {
    boolean forAtMost(long nanos) throws InterruptedException;
  }

  /** Waits in short steps: what the sink waits for may never come once the poller is closed. */
  private void await(Wait wait, long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    for (long left = nanos; !closed && left > 0; left = end - System.nanoTime()) {
      if (wait.forAtMost(Math.min(left, STEP_NANOS))) {
        return;
      }
    }
  }

  /** One at a time: the sink remembers what ended during a poll. */
  private synchronized PollCycle.Result runCycle(int limit, PollCycle.Position after) {
    return cycle.run(limit, after);
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
