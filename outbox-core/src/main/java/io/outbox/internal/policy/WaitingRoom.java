package io.outbox.internal.policy;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The room that all listeners of an engine share for events that wait. Thread-safe. */
final class WaitingRoom {

  private final long maxBytes;
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger events = new AtomicInteger();

  WaitingRoom(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /**
   * Takes room for an event.
   *
   * @param first whether it is the only one of its listener: that always fits
   */
  boolean take(long size, boolean first) {
    if (bytes.addAndGet(size) > maxBytes && !first) {
      bytes.addAndGet(-size);
      return false;
    }
    events.incrementAndGet();
    return true;
  }

  void free(long size) {
    bytes.addAndGet(-size);
    events.decrementAndGet();
  }

  int events() {
    return events.get();
  }
}
