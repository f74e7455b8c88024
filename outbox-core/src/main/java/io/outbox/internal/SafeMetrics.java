package io.outbox.internal;

import io.outbox.spi.Backlog;
import io.outbox.spi.MetricsExporter;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/** Keeps what an exporter throws away from the engine. */
public final class SafeMetrics implements MetricsExporter {

  private static final Logger LOG = PrintableLogger.of(SafeMetrics.class);

  private final MetricsExporter target;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);

  /** None around the exporter that ignores everything: nothing is thrown there. */
  public static MetricsExporter around(MetricsExporter target) {
    return target == NOOP ? target : new SafeMetrics(target);
  }

  SafeMetrics(MetricsExporter target) {
    this.target = Objects.requireNonNull(target, "metrics");
  }

  @Override
  public void incrementHotEnqueued() {
    call(target::incrementHotEnqueued);
  }

  @Override
  public void incrementHotDropped() {
    call(target::incrementHotDropped);
  }

  @Override
  public void incrementColdEnqueued() {
    call(target::incrementColdEnqueued);
  }

  @Override
  public void incrementDispatchSuccess() {
    call(target::incrementDispatchSuccess);
  }

  @Override
  public void incrementDispatchFailure() {
    call(target::incrementDispatchFailure);
  }

  @Override
  public void incrementDispatchDead() {
    call(target::incrementDispatchDead);
  }

  @Override
  public void incrementDispatchDeferred() {
    call(target::incrementDispatchDeferred);
  }

  @Override
  public void incrementDispatchHeldBack() {
    call(target::incrementDispatchHeldBack);
  }

  @Override
  public void incrementHotSkippedDelayed() {
    call(target::incrementHotSkippedDelayed);
  }

  @Override
  public void incrementHotSkippedPaused() {
    call(target::incrementHotSkippedPaused);
  }

  @Override
  public void incrementHotSkippedOutage() {
    call(target::incrementHotSkippedOutage);
  }

  @Override
  public void recordMissingListeners(int routes) {
    call(() -> target.recordMissingListeners(routes));
  }

  @Override
  public void recordSecondProcesses(int processes) {
    call(() -> target.recordSecondProcesses(processes));
  }

  @Override
  public void recordQueueDepths(int hotDepth, int coldDepth) {
    call(() -> target.recordQueueDepths(hotDepth, coldDepth));
  }

  @Override
  public void recordOldestLagMs(long lagMs) {
    call(() -> target.recordOldestLagMs(lagMs));
  }

  @Override
  public void recordCommitToListener(long nanos) {
    call(() -> target.recordCommitToListener(nanos));
  }

  @Override
  public void recordDueToListener(long nanos) {
    call(() -> target.recordDueToListener(nanos));
  }

  @Override
  public void recordListenerDuration(long nanos) {
    call(() -> target.recordListenerDuration(nanos));
  }

  @Override
  public void recordFailedAttempts(int attempts) {
    call(() -> target.recordFailedAttempts(attempts));
  }

  @Override
  public void recordLanesOwned(int lanes) {
    call(() -> target.recordLanesOwned(lanes));
  }

  @Override
  public void recordLanesTaken(int lanes) {
    call(() -> target.recordLanesTaken(lanes));
  }

  @Override
  public void recordParkedKeys(int keys) {
    call(() -> target.recordParkedKeys(keys));
  }

  @Override
  public void recordBlockedKeys(int keys) {
    call(() -> target.recordBlockedKeys(keys));
  }

  @Override
  public void recordWaitingForListeners(int events) {
    call(() -> target.recordWaitingForListeners(events));
  }

  @Override
  public void recordUnavailableListeners(int listeners) {
    call(() -> target.recordUnavailableListeners(listeners));
  }

  @Override
  public void recordUnavailableDestinations(int destinations) {
    call(() -> target.recordUnavailableDestinations(destinations));
  }

  @Override
  public void recordDeliveryPauses(int pauses) {
    call(() -> target.recordDeliveryPauses(pauses));
  }

  @Override
  public boolean wantsLag() {
    return answer(target::wantsLag);
  }

  @Override
  public boolean wantsBacklog() {
    return answer(target::wantsBacklog);
  }

  private boolean answer(BooleanSupplier question) {
    try {
      return question.getAsBoolean();
    } catch (Throwable e) {
      warning.log(() -> "the metrics exporter failed", e);
      return false;
    }
  }

  @Override
  public void recordBacklog(Backlog backlog) {
    call(() -> target.recordBacklog(backlog));
  }

  private void call(Runnable report) {
    try {
      report.run();
    } catch (Throwable e) { // a missing class of a metrics library is an Error
      warning.log(() -> "the metrics exporter failed", e);
    }
  }
}
