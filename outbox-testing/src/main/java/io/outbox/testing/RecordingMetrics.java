package io.outbox.testing;

import io.outbox.spi.MetricsExporter;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Counts metrics. Thread-safe. */
public final class RecordingMetrics implements MetricsExporter {

  private final AtomicInteger hotEnqueued = new AtomicInteger();
  private final AtomicInteger hotDropped = new AtomicInteger();
  private final AtomicInteger hotSkippedDelayed = new AtomicInteger();
  private final AtomicInteger coldEnqueued = new AtomicInteger();
  private final AtomicInteger successes = new AtomicInteger();
  private final AtomicInteger failures = new AtomicInteger();
  private final AtomicInteger dead = new AtomicInteger();
  private final AtomicInteger deferred = new AtomicInteger();
  private final AtomicInteger heldBack = new AtomicInteger();
  private final AtomicInteger hotSkippedPaused = new AtomicInteger();
  private final AtomicInteger hotSkippedOutage = new AtomicInteger();
  private final AtomicInteger hotDepth = new AtomicInteger();
  private final AtomicInteger coldDepth = new AtomicInteger();
  private final AtomicLong oldestLagMs = new AtomicLong();

  public RecordingMetrics() {}

  public int hotEnqueued() {
    return hotEnqueued.get();
  }

  public int hotDropped() {
    return hotDropped.get();
  }

  public int hotSkippedDelayed() {
    return hotSkippedDelayed.get();
  }

  public int coldEnqueued() {
    return coldEnqueued.get();
  }

  public int successes() {
    return successes.get();
  }

  public int failures() {
    return failures.get();
  }

  public int dead() {
    return dead.get();
  }

  public int deferred() {
    return deferred.get();
  }

  /** Events that the engine deferred. */
  public int heldBack() {
    return heldBack.get();
  }

  public int hotSkippedPaused() {
    return hotSkippedPaused.get();
  }

  public int hotSkippedOutage() {
    return hotSkippedOutage.get();
  }

  /** All outcomes of whatever kind. */
  public int outcomes() {
    return successes() + failures() + dead() + deferred() + heldBack();
  }

  /** The depth recorded last. */
  public int hotDepth() {
    return hotDepth.get();
  }

  /** The depth recorded last. */
  public int coldDepth() {
    return coldDepth.get();
  }

  /** The lag recorded last. */
  public long oldestLagMs() {
    return oldestLagMs.get();
  }

  @Override
  public void incrementHotEnqueued() {
    hotEnqueued.incrementAndGet();
  }

  @Override
  public void incrementHotDropped() {
    hotDropped.incrementAndGet();
  }

  @Override
  public void incrementHotSkippedDelayed() {
    hotSkippedDelayed.incrementAndGet();
  }

  @Override
  public void incrementColdEnqueued() {
    coldEnqueued.incrementAndGet();
  }

  @Override
  public void incrementDispatchSuccess() {
    successes.incrementAndGet();
  }

  @Override
  public void incrementDispatchFailure() {
    failures.incrementAndGet();
  }

  @Override
  public void incrementDispatchDead() {
    dead.incrementAndGet();
  }

  @Override
  public void incrementDispatchDeferred() {
    deferred.incrementAndGet();
  }

  @Override
  public void incrementDispatchHeldBack() {
    heldBack.incrementAndGet();
  }

  @Override
  public void incrementHotSkippedPaused() {
    hotSkippedPaused.incrementAndGet();
  }

  @Override
  public void incrementHotSkippedOutage() {
    hotSkippedOutage.incrementAndGet();
  }

  @Override
  public void recordQueueDepths(int hot, int cold) {
    hotDepth.set(hot);
    coldDepth.set(cold);
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    oldestLagMs.set(lagMs);
  }

  @Override
  public String toString() {
    return "hot "
        + hotEnqueued
        + " (dropped "
        + hotDropped
        + ", delayed "
        + hotSkippedDelayed
        + ", paused "
        + hotSkippedPaused
        + ", outage "
        + hotSkippedOutage
        + "), cold "
        + coldEnqueued
        + ", done "
        + successes
        + ", retry "
        + failures
        + ", dead "
        + dead
        + ", deferred "
        + deferred
        + ", held back "
        + heldBack;
  }
}
