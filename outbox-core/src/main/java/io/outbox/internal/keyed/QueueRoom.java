package io.outbox.internal.keyed;

/** How many events wait, and for how many more there is room. Not thread-safe. */
final class QueueRoom {

  private final int maxEvents;
  private final long maxBytes;
  private int events;
  private long bytes;
  private boolean full; // one found no room, and none has left since

  QueueRoom(int maxEvents, long maxBytes) {
    this.maxEvents = maxEvents;
    this.maxBytes = maxBytes;
  }

  /** Takes room for an event; one always fits, however large. */
  boolean take(long size) {
    full = events > 0 && (events >= maxEvents || bytes + size > maxBytes);
    events += full ? 0 : 1;
    bytes += full ? 0 : size;
    return !full;
  }

  void free(long size) {
    events--;
    bytes -= size;
    full = false;
  }

  int events() {
    return events;
  }

  /** For how many more events there is room. */
  int left() {
    return full || bytes >= maxBytes ? 0 : Math.max(0, maxEvents - events);
  }
}
