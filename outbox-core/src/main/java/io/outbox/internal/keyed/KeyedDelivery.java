package io.outbox.internal.keyed;

import io.outbox.EventEnvelope;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.lanes.Lane;
import java.time.Instant;

/** An event that is delivered in the order of its key. */
public final class KeyedDelivery extends Delivery {

  private final EventKey key;
  private final long seq;
  private final Lane term;
  private final Throwable unreadable; // null: it can be read
  private volatile boolean blocksItsKey;
  private volatile boolean settlesFirst;
  private volatile boolean revoked;
  private Lane lane; // null: not entered
  private Thread runsOn; // null: no listener runs

  /**
   * @param term the lane under whose epoch it was read
   * @param envelope if it cannot be read: of what can be shown of it
   * @param unreadable null if it can be read. If not, it is DEAD when its turn comes: what is
   *     before it must be delivered first
   */
  public KeyedDelivery(
      OutboxEvent row, EventKey key, Lane term, EventEnvelope envelope, Throwable unreadable) {
    // The claims that are counted are those of nodes that took it over; the first one is not.
    super(row, envelope, row.claims() + 1);
    this.key = key;
    this.seq = row.seq();
    this.term = term;
    this.unreadable = unreadable;
  }

  /**
   * The only pending event of its key, which was committed here and is due. Its number in the table
   * is not known, and need not be: it is before all others.
   */
  static KeyedDelivery ofCommitted(EventEnvelope event, EventKey key, Lane term, Instant now) {
    // The writer's clock must not make it wait.
    Instant due = event.occurredAt().isAfter(now) ? now : event.occurredAt();
    OutboxEvent row =
        OutboxEvent.builder(event.eventId(), event.eventType())
            .createdAt(event.occurredAt())
            .availableAt(due)
            .leaseNumber(0)
            .build();
    return new KeyedDelivery(row, key, term, event, null);
  }

  public EventKey key() {
    return key;
  }

  long seq() {
    return seq;
  }

  /** The lane under whose epoch it was read: under another one it may have been done elsewhere. */
  Lane term() {
    return term;
  }

  /** One before it comes again, and then it does, too: its outcome must not be written. */
  void revoke() {
    revoked = true;
  }

  boolean isRevoked() {
    return revoked;
  }

  /** Why no envelope can be made of its row; null if one can. */
  public Throwable unreadable() {
    return unreadable;
  }

  /** It was DEAD and is delivered again: until it is done no other event of its key is. */
  void blocksKey() {
    blocksItsKey = true;
  }

  boolean blocksItsKey() {
    return blocksItsKey;
  }

  /** One of its key may have ended its last process: none starts before this one is written. */
  void settleFirst() {
    settlesFirst = true;
  }

  boolean settlesFirst() {
    return settlesFirst;
  }

  /** The lane under whose epoch its outcome is written; null if it was not started. */
  public synchronized Lane lane() {
    return lane;
  }

  public synchronized void entered(Lane value) {
    lane = value;
  }

  public synchronized void runs() {
    runsOn = Thread.currentThread();
  }

  public synchronized void hasRun() {
    runsOn = null;
  }

  /** Interrupts its listener, which is not the event's failure. */
  public synchronized void interrupt() {
    if (runsOn != null) {
      cutShort(); // first: the listener may throw at once
      runsOn.interrupt();
    }
  }
}
