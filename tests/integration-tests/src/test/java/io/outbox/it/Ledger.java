package io.outbox.it;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What was written, what became of its transactions, and what was delivered. It has no part in
 * delivering: what it says is wrong, the outbox did. Thread-safe.
 */
final class Ledger {

  /** What became of the transaction an event was written in. */
  enum Fate {
    OPEN,
    COMMITTED,
    ROLLED_BACK,
    /** The commit failed: only the table knows. */
    UNKNOWN
  }

  /**
   * One call of a listener.
   *
   * @param hot whether it came by the hot path: the very envelope that was written, not one made
   *     from a row
   */
  record Delivered(String eventId, String node, boolean hot, long millis) {
    @Override
    public String toString() {
      return (hot ? "hot" : "cold") + " at " + node + " after " + millis + " ms";
    }
  }

  private final long startNanos = System.nanoTime();
  private final Map<String, Fate> fates = new ConcurrentHashMap<>();
  private final Map<String, EventEnvelope> written = new ConcurrentHashMap<>();
  private final ConcurrentLinkedQueue<Delivered> deliveries = new ConcurrentLinkedQueue<>();
  private final AtomicInteger deliveryCount = new AtomicInteger();
  private final Journal journal = new Journal();

  /** Notes what {@code node} does with leases, for what {@link #check} finds wrong. */
  void watch(Node node) {
    journal.watch(node);
  }

  void open(EventEnvelope event) {
    written.put(event.eventId(), event);
    fates.put(event.eventId(), Fate.OPEN);
  }

  void end(Collection<EventEnvelope> events, Fate fate) {
    events.forEach(event -> fates.put(event.eventId(), fate));
  }

  /** Notes each delivery, then does {@code next}. */
  EventListener listening(String node, EventListener next) {
    return event -> {
      boolean hot = written.get(event.eventId()) == event;
      long millis = (System.nanoTime() - startNanos) / 1_000_000;
      deliveries.add(new Delivered(event.eventId(), node, hot, millis));
      deliveryCount.incrementAndGet();
      journal.note(event.eventId(), node, hot ? "calls its listener, hot" : "calls its listener");
      return next.onEvent(event);
    };
  }

  Map<String, Fate> fates() {
    return Map.copyOf(fates);
  }

  List<Delivered> deliveries() {
    return List.copyOf(deliveries);
  }

  int count() {
    return deliveryCount.get();
  }

  /** Compares with the table as it is now. */
  Findings check(Scenario scenario) {
    return Findings.of(fates(), deliveries(), Findings.rows(scenario)).explainedBy(journal);
  }
}
