package io.outbox.internal;

import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Logs the first of many equal messages, then at most one per interval with a count. Thread-safe.
 */
public final class RepeatedWarning {

  private static final long INTERVAL_NANOS = 10_000_000_000L;

  private final Logger log;
  private final Level level;
  private final long intervalNanos;
  private final AtomicLong unlogged = new AtomicLong();
  private final AtomicLong nextAt = new AtomicLong(System.nanoTime());

  public RepeatedWarning(Class<?> source, Level level) {
    this(PrintableLogger.of(source), level);
  }

  public RepeatedWarning(Logger log, Level level) {
    this(log, level, INTERVAL_NANOS);
  }

  RepeatedWarning(Logger log, Level level, long intervalNanos) {
    this.intervalNanos = intervalNanos;
    this.log = Objects.requireNonNull(log, "log");
    this.level = Objects.requireNonNull(level, "level");
  }

  public void log(Supplier<String> message, Throwable cause) {
    long due = nextAt.get();
    long now = System.nanoTime();
    if (now - due < 0 || !nextAt.compareAndSet(due, now + intervalNanos)) {
      unlogged.incrementAndGet();
      return;
    }
    long others = unlogged.getAndSet(0);
    log.log(
        level,
        () -> message.get() + (others == 0 ? "" : " (and " + others + " more like it before)"),
        cause);
  }

  public void log(Supplier<String> message) {
    log(message, null);
  }
}
