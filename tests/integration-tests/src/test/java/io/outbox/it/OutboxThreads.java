package io.outbox.it;

import static org.awaitility.Awaitility.await;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Which threads of outboxes there are, to see that a closed one leaves none. */
final class OutboxThreads {

  private final Set<Thread> before = alive();

  /** Waits until no thread is left that was not there when this was made. */
  void awaitGone() {
    await("threads left").until(this::added, Set::isEmpty);
  }

  Set<String> added() {
    Set<Thread> added = new HashSet<>(alive());
    added.removeAll(before);
    return added.stream().map(Thread::getName).collect(Collectors.toSet());
  }

  /** All there are now, in a set that may be changed. */
  static Set<Thread> alive() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("outbox-"))
        .collect(Collectors.toCollection(HashSet::new));
  }
}
