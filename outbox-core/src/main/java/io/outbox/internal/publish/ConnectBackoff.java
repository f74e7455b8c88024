package io.outbox.internal.publish;

import io.outbox.OutageException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Objects;
import java.util.function.LongSupplier;

/**
 * When to connect again: 100 ms after the first failure, then twice as long each time, at most 2 s.
 * Of failures in a row it logs the first. Thread-safe.
 */
public final class ConnectBackoff {

  private static final Duration FIRST = Duration.ofMillis(100);
  private static final Duration LONGEST = Duration.ofSeconds(2);

  private final String broker;
  private final Logger log;
  private final LongSupplier nanoTime;
  private OutageException failure; // of the last attempt; null if it succeeded
  private Duration pause = FIRST;
  private long nextNanos;

  public ConnectBackoff(String broker, Logger log) {
    this(broker, log, System::nanoTime);
  }

  ConnectBackoff(String broker, Logger log, LongSupplier nanoTime) {
    this.broker = Objects.requireNonNull(broker, "broker");
    this.log = Objects.requireNonNull(log, "log");
    this.nanoTime = nanoTime;
  }

  /** Why the last attempt failed, if it is too early for the next one; else null. */
  public synchronized OutageException tooEarly() {
    return failure != null && nanoTime.getAsLong() - nextNanos < 0 ? failure : null;
  }

  public synchronized void connected() {
    failure = null;
    pause = FIRST;
    log.log(Level.INFO, () -> "connected to " + broker);
  }

  /** Returns its argument. */
  public synchronized OutageException failed(OutageException outage) {
    if (failure == null) {
      log.log(Level.WARNING, outage.getMessage());
    }
    failure = outage;
    nextNanos = nanoTime.getAsLong() + pause.toNanos();
    Duration longer = pause.multipliedBy(2);
    pause = longer.compareTo(LONGEST) > 0 ? LONGEST : longer;
    return outage;
  }
}
