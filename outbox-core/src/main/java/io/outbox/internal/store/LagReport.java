package io.outbox.internal.store;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.Backlog;
import io.outbox.spi.MetricsExporter;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Tells metrics the age of the oldest undelivered event, whatever it waits for: a poll does not see
 * those that are deferred, paused or leased. Not thread-safe.
 */
public final class LagReport {

  private static final Logger LOG = PrintableLogger.of(LagReport.class);
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RepeatedWarning failures = new RepeatedWarning(LOG, Level.WARNING);
  private final StoreSession session;
  private final EngineClock clock;
  private final MetricsExporter metrics;
  private long nextNanos = System.nanoTime();
  private volatile boolean told;

  public LagReport(StoreSession session, EngineClock clock, MetricsExporter metrics) {
    this.session = session;
    this.clock = clock;
    this.metrics = metrics;
  }

  /** Reports once a second at most. */
  public void reportIfDue() {
    if (System.nanoTime() - nextNanos >= 0) {
      nextNanos = System.nanoTime() + INTERVAL_NANOS;
      report();
    }
  }

  /** Looks at the table, if metrics want to know. What fails is logged. */
  public void report() {
    if (!metrics.wantsLag()) {
      return;
    }
    try {
      Optional<Backlog> backlog =
          session.read(
              conn -> {
                clock.synchronize(session.store(), conn);
                return session.store().backlog(conn, 1);
              });
      told = backlog.isPresent();
      backlog.ifPresent(found -> metrics.recordOldestLagMs(millisSince(found.oldestWaiting())));
    } catch (Throwable e) {
      failures.log(() -> "the lag could not be read", e);
    }
  }

  private long millisSince(Instant oldest) {
    return oldest == null ? 0 : Math.max(0, Duration.between(oldest, clock.now()).toMillis());
  }

  /**
   * If the store cannot tell, the lag of events that were read has to do.
   *
   * @param longest of those that were read before, in milliseconds
   * @return the longest of all of them
   */
  public long read(List<OutboxEvent> rows, long longest) {
    long most = longest;
    if (!told) {
      for (OutboxEvent row : rows) {
        most = Math.max(most, millisSince(row.availableAt()));
      }
      metrics.recordOldestLagMs(most);
    }
    return most;
  }
}
