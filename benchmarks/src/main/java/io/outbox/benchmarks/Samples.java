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

  boolean isEmpty() {
    return values.isEmpty();
  }

  /** Of an even number, the mean of the two in the middle. */
  double median() {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  double min() {
    return Collections.min(values);
  }

  double max() {
    return Collections.max(values);
  }
}
