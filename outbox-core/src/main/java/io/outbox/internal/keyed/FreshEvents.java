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

/**
 * Events that were committed here a moment ago, the last one of each key. If the table says that
 * nothing else of the key is pending, the row need not be read. Bounded in events and bytes: what
 * is forgotten is read. Thread-safe.
 */
public final class FreshEvents {

  private final int maxEvents;
  private final long maxBytes;
  private final Guard lock = new Guard();
  private final Map<EventKey, EventEnvelope> events = new LinkedHashMap<>(); // the oldest first
  private long bytes;

  public FreshEvents(int maxEvents, long maxBytes) {
    this.maxEvents = maxEvents;
    this.maxBytes = maxBytes;
  }

  /** An event was committed; to be called before somebody is told to read its key. */
  public void committed(EventKey key, EventEnvelope event) {
    try (Guard guard = lock.lock()) {
      remove(key);
      events.put(key, event);
      bytes += Delivery.bytesOf(event);
      Iterator<EventEnvelope> oldest = events.values().iterator();
      while (events.size() > maxEvents || bytes > maxBytes) {
        bytes -= Delivery.bytesOf(oldest.next());
        oldest.remove();
      }
    }
  }

  /** Hands out those of these keys. */
  Map<EventKey, EventEnvelope> take(Set<EventKey> keys) {
    Map<EventKey, EventEnvelope> taken = new HashMap<>();
    try (Guard guard = lock.lock()) {
      for (EventKey key : keys) {
        EventEnvelope event = remove(key);
        if (event != null) {
          taken.put(key, event);
        }
      }
      return taken;
    }
  }

  private EventEnvelope remove(EventKey key) {
    EventEnvelope event = events.remove(key);
    bytes -= event == null ? 0 : Delivery.bytesOf(event);
    return event;
  }
}
