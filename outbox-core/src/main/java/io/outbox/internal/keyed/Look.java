package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventKey;
import io.outbox.spi.lanes.Lane;

/**
 * An event that was written and is not committed, or waits for its answer. What changes belongs to
 * {@link EarlyLooks}, under its lock.
 */
public final class Look {

  final EventKey key;
  final EventEnvelope event; // null: it is not looked at, and bars its key
  final Lane term; // the lane of its key when it was written
  final BarredKeys.Bar bar; // null: it bars nothing
  long blocksThen; // how many keys had been blocked here before the table was asked
  boolean answered;
  boolean alone; // nothing else of its key is pending
  boolean committed;
  boolean ended;

  private Look(EventKey key, EventEnvelope event, Lane term, BarredKeys.Bar bar) {
    this.key = key;
    this.event = event;
    this.term = term;
    this.bar = bar;
  }

  static Look at(EventKey key, EventEnvelope event, Lane term) {
    return new Look(key, event, term, null);
  }

  static Look barring(EventKey key, BarredKeys.Bar bar) {
    return new Look(key, null, null, bar);
  }

  boolean barsItsKey() {
    return event == null;
  }

  long bytes() {
    return Delivery.bytesOf(event);
  }
}
