package io.outbox.benchmarks.contestant;

/**
 * How the events of a run are divided among keys.
 *
 * @param count how many keys there are; 0 for one per event
 * @param parked how many more events wait behind one that is not due, under a key of their own
 */
record Keys(int count, int parked) {

  /** Each event by itself. */
  static final Keys NONE = new Keys(0, 0);

  String of(int n) {
    return Integer.toString(count == 0 ? n : n % count);
  }
}
