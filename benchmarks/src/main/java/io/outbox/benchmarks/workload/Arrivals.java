package io.outbox.benchmarks.workload;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntConsumer;

/** The listener of every contestant: counts each event, by its number. Thread-safe. */
final class Arrivals implements IntConsumer {

  private final AtomicIntegerArray times;
  private final long[] nanos;
  private final AtomicInteger distinct = new AtomicInteger();
  private final LongAdder repeated = new LongAdder();
  private final long sleepMillis;

  Arrivals(int capacity, boolean clocked, long sleepMillis) {
    this.times = new AtomicIntegerArray(capacity);
    this.nanos = clocked ? new long[capacity] : null;
    this.sleepMillis = sleepMillis;
  }

  @Override
  public void accept(int n) {
    if (nanos != null) {
      nanos[n] = System.nanoTime();
    }
    if (sleepMillis > 0) {
      try {
        Thread.sleep(sleepMillis);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    if (times.getAndIncrement(n) == 0) {
      distinct.incrementAndGet();
    } else {
      repeated.increment();
    }
  }

  int distinct() {
    return distinct.get();
  }

  long repeated() {
    return repeated.sum();
  }

  /** When the event arrived last; 0 if it did not. */
  long nanos(int n) {
    return times.get(n) == 0 ? 0 : nanos[n];
  }
}
