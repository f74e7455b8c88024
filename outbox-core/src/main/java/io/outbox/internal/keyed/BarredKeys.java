package io.outbox.internal.keyed;

import io.outbox.model.EventKey;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Keys with events that nobody looks at before their transactions have ended: another event of the
 * same transaction could not know of them. Bounded: if there are too many, all keys are barred; and
 * a transaction that does not tell its end bars its keys for some hours. Not thread-safe.
 */
final class BarredKeys {

  private static final int MAX = 1_000;

  /** As long as tickets of looks at least, and at most twice as long. */
  private static final long AGE_NANOS = TimeUnit.HOURS.toNanos(2);

  /** One key, or all of them, barred until it is removed. */
  static final class Bar {
    private final Bars among;
    private final EventKey key; // null: all keys

    private Bar(Bars among, EventKey key) {
      this.among = among;
      this.key = key;
    }

    void remove() {
      among.remove(key);
    }
  }

  /** Those of one age. */
  private static final class Bars {
    private final Map<EventKey, Integer> counts = new HashMap<>();
    private int all;

    Bar add(EventKey key) {
      if (key == null || counts.size() >= MAX && !counts.containsKey(key)) {
        all++;
        return new Bar(this, null);
      }
      counts.merge(key, 1, Integer::sum);
      return new Bar(this, key);
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

  private Bars young = new Bars();
  private Bars old = new Bars();
  private long sweptNanos = System.nanoTime();

  /** Bars a key; null bars all. */
  Bar add(EventKey key) {
    return young.add(key);
  }

  boolean contains(EventKey key) {
    return young.contains(key) || old.contains(key);
  }

  /** Forgets those that nobody has removed in time. */
  void sweep(long nowNanos) {
    if (nowNanos - sweptNanos >= AGE_NANOS) {
      sweptNanos = nowNanos;
      old = young;
      young = new Bars();
    }
  }
}
