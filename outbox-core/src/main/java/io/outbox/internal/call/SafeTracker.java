package io.outbox.internal.call;

import io.outbox.dispatch.InFlightTracker;
import io.outbox.internal.RepeatedWarning;
import java.lang.System.Logger.Level;

/** The user's tracker. What it throws at the end must not undo an outcome. Thread-safe. */
public final class SafeTracker {

  private final InFlightTracker tracker;
  private final RepeatedWarning warning = new RepeatedWarning(SafeTracker.class, Level.ERROR);

  public SafeTracker(InFlightTracker tracker) {
    this.tracker = tracker;
  }

  boolean tryAcquire(String eventId) {
    return tracker.tryAcquire(eventId);
  }

  void release(String eventId) {
    try {
      tracker.release(eventId);
    } catch (Throwable e) {
      warning.log(() -> "the tracker did not release event " + eventId, e);
    }
  }
}
