package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.Lane;
import io.outbox.model.OutboxEvent;

/** An event that is delivered in the order of its key. */
final class KeyedDelivery extends Delivery {

  private final EventKey key;
  private final long seq;
  private final Throwable unreadable; // null: it can be read
  private volatile boolean blocksItsKey;
  private Lane lane; // null: not entered
  private Thread runsOn; // null: no listener runs

  KeyedDelivery(OutboxEvent row, EventKey key, EventEnvelope envelope) {
    this(row, key, envelope, null);
  }

  private KeyedDelivery(
      OutboxEvent row, EventKey key, EventEnvelope envelope, Throwable unreadable) {
    super(row, envelope);
    this.key = key;
    this.seq = row.seq();
    this.unreadable = unreadable;
  }

  /** When its turn comes it is DEAD: what is before it must be delivered first. */
  static KeyedDelivery unreadable(
      OutboxEvent row, EventKey key, EventEnvelope stub, Throwable reason) {
    return new KeyedDelivery(row, key, stub, reason);
  }

  EventKey key() {
    return key;
  }

  long seq() {
    return seq;
  }

  /** Why no envelope can be made of its row; null if one can. */
  Throwable unreadable() {
    return unreadable;
  }

  /** It was DEAD and is delivered again: until it is done no other event of its key is. */
  void blocksKey() {
    blocksItsKey = true;
  }

  boolean blocksItsKey() {
    return blocksItsKey;
  }

  /** The lane under whose epoch its outcome is written; null if it was not started. */
  synchronized Lane lane() {
    return lane;
  }

  synchronized void entered(Lane value) {
    lane = value;
  }

  synchronized void runs() {
    runsOn = Thread.currentThread();
  }

  synchronized void hasRun() {
    runsOn = null;
  }

  synchronized void interrupt() {
    if (runsOn != null) {
      runsOn.interrupt();
    }
  }
}
