package io.outbox.benchmarks.contestant;

/**
 * How the events of a run are divided among keys.
 *
 * @param count how many keys there are; 0 for one per event
 * @param parked how many more events wait
 * @param apart whether each of these has a key of its own and is not due; else they have one, and
 *     wait behind the first
 */
record Keys(int count, int parked, boolean apart) {

  /** Each event by itself. */
  static final Keys NONE = new Keys(0);

  Keys(int count) {
    this(count, 0, false);
  }

  String ofParked(int n) {
    return apart ? "parked" + n : "parked";
  }

  boolean isParkedDue(int n) {
    return !apart && n > 0;
  }

  String of(int n) {
    return Integer.toString(count == 0 ? n : n % count);
  }
}
