package io.outbox.internal.store;

import io.outbox.internal.RepeatedWarning;
import io.outbox.spi.MetricsExporter;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;

/**
 * Tells metrics what is in the table, now and then, if they want to know. Failures are logged: a
 * look at the table is not worth the reading of events. Not thread-safe.
 */
public final class BacklogReport {

  private static final Logger LOG = PrintableLogger.of(BacklogReport.class);

  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final int CAP = 10_000;

  private final StoreSession session;
  private final MetricsExporter metrics;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);
  private long nextNanos = System.nanoTime();

  public BacklogReport(StoreSession session, MetricsExporter metrics) {
    this.session = session;
    this.metrics = metrics;
  }

  public void reportIfDue() {
    if (!metrics.wantsBacklog() || System.nanoTime() - nextNanos < 0) {
      return;
    }
    nextNanos = System.nanoTime() + INTERVAL_NANOS;
    try {
      session.read(conn -> session.store().backlog(conn, CAP)).ifPresent(metrics::recordBacklog);
    } catch (Throwable e) {
      warning.log(() -> "the backlog cannot be counted", e);
    }
  }
}
