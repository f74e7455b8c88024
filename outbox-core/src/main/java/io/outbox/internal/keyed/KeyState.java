package io.outbox.internal.keyed;

import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.NavigableMap;
import java.util.TreeMap;

/** The events of one key that are here. Not thread-safe. */
final class KeyState {

  final EventKey key;
  final NavigableMap<Long, KeyedDelivery> waiting = new TreeMap<>();
  final WriteOrder unwritten = new WriteOrder();
  final KeyReads.OfKey reads;
  KeyedDelivery running; // or its outcome decides whether others may start
  boolean queued; // it is known that one may start

  KeyState(EventKey key) {
    this.key = key;
    this.reads = new KeyReads.OfKey(key);
  }

  boolean isBusy() {
    return running != null || !unwritten.isEmpty() || !waiting.isEmpty();
  }

  boolean isEmpty() {
    return !isBusy() && !reads.isUnderWay();
  }

  /** Whether the first of those that wait can be asked for, and nobody knows yet. */
  boolean becomesReady() {
    boolean ready = !queued && running == null && !waiting.isEmpty();
    queued |= ready;
    return ready;
  }

  /** Its outcome decides nothing any more. */
  void settled(KeyedDelivery delivery) {
    unwritten.remove(delivery);
    running = running == delivery ? null : running;
  }

  /** What was done, or is under way, will be done again. */
  void revoke() {
    unwritten.revoke();
    if (running != null) {
      running.revoke();
    }
  }

  /** When the first of those that wait is due; null if it is, or if none waits. */
  Instant dueAfter(Instant now) {
    Instant due = waiting.isEmpty() ? null : waiting.firstEntry().getValue().dueAt();
    return due != null && due.isAfter(now) ? due : null;
  }
}
