package io.outbox.internal.time;

import java.util.function.LongSupplier;

/**
 * Nanoseconds that also pass while the machine stands still. The clock behind {@link
 * System#nanoTime()} may stop with a suspended machine, and the database's goes on; the time of day
 * shows it afterwards. If that is set ahead, leases end early, which is harmless; that it is set
 * back has no effect. Thread-safe.
 */
public final class StandstillClock implements LongSupplier {

  private final LongSupplier nanoTime;
  private final LongSupplier timeOfDayMillis;
  private final long startNanos;
  private final long startMillis;
  private long stoodStillNanos;

  public StandstillClock() {
    this(System::nanoTime, System::currentTimeMillis);
  }

  StandstillClock(LongSupplier nanoTime, LongSupplier timeOfDayMillis) {
    this.nanoTime = nanoTime;
    this.timeOfDayMillis = timeOfDayMillis;
    this.startNanos = nanoTime.getAsLong();
    this.startMillis = timeOfDayMillis.getAsLong();
  }

  @Override
  public synchronized long getAsLong() {
    long nanos = nanoTime.getAsLong() - startNanos;
    long byTimeOfDay = 1_000_000 * (timeOfDayMillis.getAsLong() - startMillis);
    stoodStillNanos = Math.max(stoodStillNanos, byTimeOfDay - nanos);
    return nanos + stoodStillNanos;
  }
}
