package io.outbox.benchmarks;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Measured values. Not thread-safe. */
final class Samples {

  private final List<Double> values = new ArrayList<>();

  void add(double value) {
    values.add(value);
  }

  double median() {
    return percentile(50);
  }

  double min() {
    return Collections.min(values);
  }

  double max() {
    return Collections.max(values);
  }

  double percentile(double percent) {
    List<Double> sorted = new ArrayList<>(values);
    Collections.sort(sorted);
    int rank = (int) Math.ceil(percent / 100 * sorted.size());
    return sorted.get(Math.min(sorted.size(), Math.max(1, rank)) - 1);
  }
}
