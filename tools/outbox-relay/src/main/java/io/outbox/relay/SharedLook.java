package io.outbox.relay;

import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * What one look finds serves all who ask within a second. Only one looks at a time, however long it
 * takes: the others get what was found before, or are told that it is too old. Thread-safe.
 */
final class SharedLook<T> {

  private static final long FRESH_NANOS = Duration.ofSeconds(1).toNanos();
  private static final long OLD_NANOS = Duration.ofSeconds(10).toNanos();

  private record Found<T>(T what, long atNanos) {}

  private final Supplier<T> look;
  private final Supplier<T> unknown;
  private final LongSupplier nanoTime;
  private final ReentrantLock looking = new ReentrantLock();
  private volatile Found<T> last;

  /**
   * @param unknown for those who ask while a look takes long
   */
  SharedLook(Supplier<T> look, Supplier<T> unknown, LongSupplier nanoTime) {
    this.look = look;
    this.unknown = unknown;
    this.nanoTime = nanoTime;
  }

  T get() {
    Found<T> known = last;
    if (isYounger(known, FRESH_NANOS)) {
      return known.what();
    }
    if (!looking.tryLock()) {
      return isYounger(known, OLD_NANOS) ? known.what() : unknown.get();
    }
    try {
      Found<T> found = new Found<>(look.get(), nanoTime.getAsLong());
      last = found;
      return found.what();
    } finally {
      looking.unlock();
    }
  }

  private boolean isYounger(Found<T> found, long nanos) {
    return found != null && nanoTime.getAsLong() - found.atNanos() <= nanos;
  }
}
