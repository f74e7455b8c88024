package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.Guard;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventKey;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Events that were committed here a moment ago, the last one of each key. If the table says that
 * nothing else of the key is pending, the row need not be read. Bounded in events, bytes and time,
 * as the row may be changed by somebody else: what is forgotten is read. Thread-safe.
 */
public final class FreshEvents {

  private static final long MAX_AGE_NANOS = 1_000_000_000L;

  private final int maxEvents;
  private final long maxBytes;
  private final Guard lock = new Guard();
  private final Map<EventKey, Fresh> events = new LinkedHashMap<>(); // the oldest first
  private final LongSupplier nanoTime;
  private long bytes;

  private record Fresh(EventEnvelope event, long nanos) {
    long bytes() {
      return Delivery.bytesOf(event);
    }
  }

  public FreshEvents(int maxEvents, long maxBytes) {
    this(maxEvents, maxBytes, System::nanoTime);
  }

  FreshEvents(int maxEvents, long maxBytes, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.maxEvents = maxEvents;
    this.maxBytes = maxBytes;
  }

  /** An event was committed; to be called before somebody is told to read its key. */
  public void committed(EventKey key, EventEnvelope event) {
    try (Guard guard = lock.lock()) {
      remove(key);
      Fresh last = new Fresh(event, nanoTime.getAsLong());
      events.put(key, last);
      bytes += last.bytes();
      Iterator<Fresh> oldest = events.values().iterator();
      while (events.size() > maxEvents || bytes > maxBytes) {
        bytes -= oldest.next().bytes();
        oldest.remove();
      }
    }
  }

  /** Hands out those of these keys. */
  Map<EventKey, EventEnvelope> take(Set<EventKey> keys) {
    Map<EventKey, EventEnvelope> taken = new HashMap<>();
    long now = nanoTime.getAsLong();
    try (Guard guard = lock.lock()) {
      for (EventKey key : keys) {
        Fresh last = remove(key);
        if (last != null && now - last.nanos < MAX_AGE_NANOS) {
          taken.put(key, last.event);
        }
      }
      return taken;
    }
  }

  private Fresh remove(EventKey key) {
    Fresh last = events.remove(key);
    bytes -= last == null ? 0 : last.bytes();
    return last;
  }
}
