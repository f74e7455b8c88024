package io.outbox.fakes;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The library's threads that were not there when this was made. */
public final class OutboxThreads {

  private final Set<Thread> before = all();

  /** The names of those that are alive. */
  public List<String> alive() {
    Set<Thread> now = all();
    now.removeAll(before);
    return now.stream().map(Thread::getName).toList();
  }

  private static Set<Thread> all() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-"))
        .collect(Collectors.toSet());
  }
}
