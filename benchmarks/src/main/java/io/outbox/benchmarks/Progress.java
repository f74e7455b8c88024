package io.outbox.benchmarks;

/** Tells a person that the run is alive. */
@FunctionalInterface
interface Progress {
  void show(String line);
}
