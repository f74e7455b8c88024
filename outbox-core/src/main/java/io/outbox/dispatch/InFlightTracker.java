package io.outbox.dispatch;

/**
 * Keeps an event from being dispatched twice at the same time. The dispatcher asks it around each
 * dispatch, and tracks queued events itself. Must be safe for use by many threads.
 */
public interface InFlightTracker {

  /** Returns false if the event is in flight already. */
  boolean tryAcquire(String eventId);

  void release(String eventId);
}
