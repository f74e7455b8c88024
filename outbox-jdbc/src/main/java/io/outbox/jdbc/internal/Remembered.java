package io.outbox.jdbc.internal;

import java.time.Duration;
import java.util.function.Supplier;

/** What is known of the schema: it changes rarely, and is asked for all the time. Thread-safe. */
public final class Remembered<T> {

  private static final long NANOS = Duration.ofSeconds(30).toNanos();

  private volatile Answer<T> last;

  private record Answer<T>(T value, long at) {}

  /** The last answer, unless it is too old. */
  public T get(Supplier<T> question) {
    Answer<T> recent = last;
    if (recent == null || System.nanoTime() - recent.at() > NANOS) {
      recent = new Answer<>(question.get(), System.nanoTime());
      last = recent;
    }
    return recent.value();
  }

  /** The last answer, however old; null if there is none. */
  public T last() {
    Answer<T> known = last;
    return known == null ? null : known.value();
  }

  public void forget() {
    last = null;
  }
}
