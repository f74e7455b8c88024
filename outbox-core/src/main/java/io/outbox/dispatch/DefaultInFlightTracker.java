package io.outbox.dispatch;

import io.outbox.internal.Checks;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Tracks in memory; with a time to live, an entry that was never released stops counting. */
public final class DefaultInFlightTracker implements InFlightTracker {

  private final ConcurrentHashMap<String, Long> acquiredAt = new ConcurrentHashMap<>();
  private final long ttlNanos;

  /** Entries stay until they are released. */
  public DefaultInFlightTracker() {
    this.ttlNanos = Long.MAX_VALUE;
  }

  /** Entries stay until they are released, or for {@code ttlMs}. */
  public DefaultInFlightTracker(long ttlMs) {
    this.ttlNanos = TimeUnit.MILLISECONDS.toNanos(Checks.atLeast(1, "ttlMs", ttlMs));
  }

  @Override
  public boolean tryAcquire(String eventId) {
    Long now = System.nanoTime();
    Long entry =
        acquiredAt.compute(
            eventId, (id, since) -> since == null || now - since >= ttlNanos ? now : since);
    return entry == now; // the very object, so that two calls in one nanosecond differ
  }

  @Override
  public void release(String eventId) {
    acquiredAt.remove(eventId);
  }
}
