package io.outbox.fakes;

import io.outbox.spi.MetricsExporter;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** Counts what it is told. */
public final class RecordingMetrics implements MetricsExporter {

  private final Map<String, AtomicInteger> counts = new ConcurrentHashMap<>();
  private volatile long lagMs = -1;
  private volatile long listenerNanos = -1;
  private volatile int unavailableListeners = -1;
  private volatile int unavailableDestinations = -1;
  private volatile int pauses = -1;
  private volatile int secondProcesses = -1;

  public int count(String what) {
    AtomicInteger count = counts.get(what);
    return count == null ? 0 : count.get();
  }

  public long lagMs() {
    return lagMs;
  }

  /** As last told; -1 if never. */
  public int unavailableListeners() {
    return unavailableListeners;
  }

  /** As last told; -1 if never. */
  public int pauses() {
    return pauses;
  }

  /** As last told; -1 if never. */
  public int secondProcesses() {
    return secondProcesses;
  }

  @Override
  public void recordSecondProcesses(int processes) {
    secondProcesses = processes;
  }

  @Override
  public void recordDeliveryPauses(int count) {
    pauses = count;
  }

  @Override
  public void recordUnavailableListeners(int listeners) {
    unavailableListeners = listeners;
  }

  /** As last told; -1 if never. */
  public int unavailableDestinations() {
    return unavailableDestinations;
  }

  @Override
  public void recordUnavailableDestinations(int destinations) {
    unavailableDestinations = destinations;
  }

  /** How long the last listener took. */
  public long listenerNanos() {
    return listenerNanos;
  }

  private void add(String what) {
    counts.computeIfAbsent(what, key -> new AtomicInteger()).incrementAndGet();
  }

  @Override
  public void incrementHotEnqueued() {
    add("hot");
  }

  @Override
  public void incrementHotDropped() {
    add("dropped");
  }

  @Override
  public void incrementColdEnqueued() {
    add("cold");
  }

  @Override
  public void incrementDispatchSuccess() {
    add("success");
  }

  @Override
  public void incrementDispatchFailure() {
    add("failure");
  }

  @Override
  public void incrementDispatchDead() {
    add("dead");
  }

  @Override
  public void incrementDispatchDeferred() {
    add("deferred");
  }

  @Override
  public void incrementDispatchHeldBack() {
    add("heldBack");
  }

  @Override
  public void incrementHotSkippedDelayed() {
    add("skippedDelayed");
  }

  @Override
  public void incrementHotSkippedPaused() {
    add("skippedPaused");
  }

  @Override
  public void incrementHotSkippedOutage() {
    add("skippedOutage");
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    add("depths");
  }

  @Override
  public void recordOldestLagMs(long value) {
    lagMs = value;
    add("lag");
  }

  @Override
  public void recordListenerDuration(long nanos) {
    listenerNanos = nanos;
    add("listenerDuration");
  }
}
