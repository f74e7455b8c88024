package io.outbox.samples.demo;

import java.util.ArrayList;
import java.util.List;

/** Times from calling commit() to being in the listener, in nanoseconds. Thread-safe. */
final class Latencies {

  private final List<Long> nanos = new ArrayList<>();

  synchronized void add(long latency) {
    nanos.add(latency);
  }

  synchronized int count() {
    return nanos.size();
  }

  /** The latency that {@code percent} of all do not exceed. */
  synchronized long percentile(int percent) {
    List<Long> sorted = nanos.stream().sorted().toList();
    int rank = (int) Math.ceil(percent / 100.0 * sorted.size());
    return sorted.get(Math.max(0, rank - 1));
  }
}
