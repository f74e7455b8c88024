package io.outbox.internal.keyed;

/** The keys that a scan has passed for nothing in this interval. Not thread-safe. */
final class FruitlessKeys {

  /** So many keys may be passed for one event that is taken. */
  private static final int PER_EVENT = 10;

  private static final int MANY = 100;
  private static final int TOO_MANY = 2_000;

  private int keys;

  void passed(int cost, int accepted) {
    keys = (int) Math.max(0, keys + cost - (long) PER_EVENT * accepted);
  }

  /** What was slow before is taken for slow until it has shown otherwise. */
  void beginInterval() {
    keys = Math.min(keys, MANY + 1);
  }

  void reset() {
    keys = 0;
  }

  /** Whether there may be a better way. */
  boolean areMany() {
    return keys > MANY;
  }

  /** Whether to go on only in the next interval. */
  boolean areTooMany() {
    return keys > TOO_MANY;
  }
}
