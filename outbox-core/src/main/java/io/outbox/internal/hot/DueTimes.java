package io.outbox.internal.hot;

import io.outbox.internal.time.WakeUps;
import java.time.Instant;
import java.util.TreeSet;

/** When the delayed events of a batch are due; of many only the first. Not thread-safe. */
public final class DueTimes {

  private static final int MAX_KNOWN = 100;

  private TreeSet<Instant> times; // null: most batches have none

  public void add(Instant at) {
    if (times == null) {
      times = new TreeSet<>();
    }
    times.add(at);
    if (times.size() > MAX_KNOWN) {
      times.pollLast(); // a poll for the first learns when the next is due
    }
  }

  public void wake(WakeUps wakeUps) {
    if (times != null) {
      times.forEach(wakeUps::at);
    }
  }
}
