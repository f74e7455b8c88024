package io.outbox.internal.keyed;

import io.outbox.model.EventKey;
import java.util.HashMap;
import java.util.Map;

/**
 * Keys with events that nobody looks at before their transactions have ended: another event of the
 * same transaction could not know of them. Bounded: if there are too many, all keys are barred. Not
 * thread-safe.
 */
final class BarredKeys {

  private static final int MAX = 1_000;

  private final Map<EventKey, Integer> counts = new HashMap<>();
  private int all;

  /**
   * Bars a key; null bars all.
   *
   * @return what to give to {@link #remove} in the end
   */
  EventKey add(EventKey key) {
    if (key == null || counts.size() >= MAX && !counts.containsKey(key)) {
      all++;
      return null;
    }
    counts.merge(key, 1, Integer::sum);
    return key;
  }

  void remove(EventKey added) {
    if (added == null) {
      all--;
    } else {
      counts.computeIfPresent(added, (key, count) -> count == 1 ? null : count - 1);
    }
  }

  boolean contains(EventKey key) {
    return all > 0 || counts.containsKey(key);
  }
}
