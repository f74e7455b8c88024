package io.outbox.it;

import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * What each node did with the lease of each event, and when, so that a run in which something went
 * wrong explains itself. Thread-safe.
 */
final class Journal {

  private record Entry(long beganNanos, long endedNanos, String node, String what) {}

  private final long startNanos = System.nanoTime();
  private final Map<String, List<Entry>> entries = new ConcurrentHashMap<>();

  /** Notes what {@code node} asks its store for; of a claim and its like before their commit. */
  void watch(Node node) {
    node.store
        .on("insertAll", call -> inserted(node.name, call))
        .on("fetchPending", call -> claimed(node.name, call))
        .on("renewLeases", call -> changed(node.name, "renews", call, true))
        .on("releaseLeases", call -> changed(node.name, "gives back", call, false))
        .on("recordOutcomes", call -> recorded(node.name, call));
  }

  /** Notes something that happens now. */
  void note(String eventId, String node, String what) {
    note(eventId, System.nanoTime(), node, what);
  }

  private void note(String eventId, long began, String node, String what) {
    List<Entry> ofEvent = entries.computeIfAbsent(eventId, id -> new ArrayList<>());
    synchronized (ofEvent) {
      ofEvent.add(new Entry(began, System.nanoTime(), node, what));
    }
  }

  private Object inserted(String node, Tap.Call call) throws Throwable {
    long began = System.nanoTime();
    Object result = call.proceed();
    for (Object row : (List<?>) call.arguments()[1]) {
      NewEvent event = (NewEvent) row;
      note(event.envelope().eventId(), began, node, "inserts, born under " + text(event.lease()));
    }
    return result;
  }

  private Object claimed(String node, Tap.Call call) throws Throwable {
    long began = System.nanoTime();
    PendingBatch batch = (PendingBatch) call.proceed();
    String asked = "claims by its time " + ((PendingQuery) call.arguments()[1]).now() + ", gets ";
    for (OutboxEvent event : batch.events()) {
      note(event.eventId(), began, node, asked + text(event.lease()));
    }
    return batch;
  }

  private Object changed(String node, String what, Tap.Call call, boolean namesChanged)
      throws Throwable {
    long began = System.nanoTime();
    Collection<?> answer = (Collection<?>) call.proceed();
    for (Object lease : (Collection<?>) call.arguments()[1]) {
      EventRef ref = (EventRef) lease;
      boolean done = answer.contains(ref.eventId()) == namesChanged;
      String at = namesChanged ? " by its time " + call.arguments()[2] : "";
      String end = done ? "" : ", in vain";
      note(ref.eventId(), began, node, what + " lease " + ref.leaseNumber() + at + end);
    }
    return answer;
  }

  private Object recorded(String node, Tap.Call call) throws Throwable {
    long began = System.nanoTime();
    List<?> results = (List<?>) call.proceed();
    List<?> outcomes = (List<?>) call.arguments()[1];
    for (int i = 0; i < results.size(); i++) {
      Outcome outcome = (Outcome) outcomes.get(i);
      String what = "writes " + outcome.status() + " under lease " + outcome.ref().leaseNumber();
      note(outcome.eventId(), began, node, what + ": " + results.get(i));
    }
    return results;
  }

  private static String text(Lease lease) {
    return lease == null ? "no lease" : "lease " + lease.number() + " of " + lease.lockedAt();
  }

  /** All that is known of an event, a line each, with milliseconds since the start. */
  String of(String eventId) {
    List<Entry> ofEvent = entries.getOrDefault(eventId, List.of());
    synchronized (ofEvent) {
      return ofEvent.stream()
          .map(
              entry ->
                  "%n    %.1f to %.1f ms, %s %s"
                      .formatted(
                          (entry.beganNanos - startNanos) / 1e6,
                          (entry.endedNanos - startNanos) / 1e6,
                          entry.node,
                          entry.what))
          .collect(Collectors.joining());
    }
  }
}
