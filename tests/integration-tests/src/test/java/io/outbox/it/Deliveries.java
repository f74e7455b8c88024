package io.outbox.it;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;

/** A listener that remembers what it was given, and then does what it was told. */
final class Deliveries implements EventListener {

  private final ConcurrentLinkedQueue<EventEnvelope> events = new ConcurrentLinkedQueue<>();
  private final ConcurrentHashMap<String, Long> firstNanos = new ConcurrentHashMap<>();
  private volatile EventListener behaviour = event -> DispatchResult.done();

  Deliveries then(EventListener next) {
    this.behaviour = next;
    return this;
  }

  @Override
  public DispatchResult onEvent(EventEnvelope event) throws Exception {
    firstNanos.putIfAbsent(event.eventId(), System.nanoTime());
    events.add(event);
    return behaviour.onEvent(event);
  }

  /** Forgets everything but what to do. */
  void clear() {
    events.clear();
    firstNanos.clear();
  }

  int count() {
    return events.size();
  }

  int countOf(String eventId) {
    return (int) events.stream().filter(event -> event.eventId().equals(eventId)).count();
  }

  boolean has(String eventId) {
    return firstNanos.containsKey(eventId);
  }

  long firstNanos(String eventId) {
    return firstNanos.get(eventId);
  }

  List<String> ids() {
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  List<EventEnvelope> events() {
    return List.copyOf(events);
  }

  /** The ids that were delivered more than once, with how often. */
  Map<String, Long> repeated() {
    return events.stream()
        .collect(Collectors.groupingBy(EventEnvelope::eventId, Collectors.counting()))
        .entrySet()
        .stream()
        .filter(entry -> entry.getValue() > 1)
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
