package io.outbox.internal.keyed;

import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Keys of which nothing can start before a time. Bounded: of too many the latest are forgotten, and
 * found again in the table. Not thread-safe.
 */
public final class ParkedKeys {

  private static final int MAX = 10_000;

  private final Map<EventKey, Instant> until = new HashMap<>();
  private final TreeMap<Instant, Set<EventKey>> byTime = new TreeMap<>();

  void park(EventKey key, Instant at) {
    remove(key);
    until.put(key, at);
    byTime.computeIfAbsent(at, unused -> new LinkedHashSet<>()).add(key);
    if (until.size() > MAX) {
      remove(byTime.lastEntry().getValue().iterator().next());
    }
  }

  void parkIfEarlier(EventKey key, Instant at) {
    Instant now = until.get(key);
    if (now == null || at.isBefore(now)) {
      park(key, at);
    }
  }

  boolean contains(EventKey key) {
    return until.containsKey(key);
  }

  void remove(EventKey key) {
    Instant at = until.remove(key);
    if (at != null) {
      Set<EventKey> same = byTime.get(at);
      same.remove(key);
      if (same.isEmpty()) {
        byTime.remove(at);
      }
    }
  }

  /** Takes out those whose time has come. */
  List<EventKey> takeDue(Instant now) {
    List<EventKey> due = new ArrayList<>();
    byTime.headMap(now, true).values().forEach(due::addAll);
    due.forEach(this::remove);
    return due;
  }

  /** When the next is due; null if there is none. */
  Instant next() {
    return byTime.isEmpty() ? null : byTime.firstKey();
  }

  int size() {
    return until.size();
  }
}
