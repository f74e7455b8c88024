package io.outbox.internal.hot;

import io.outbox.EventEnvelope;
import io.outbox.internal.BatchHook;
import io.outbox.internal.lease.Leases;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import io.outbox.spi.NewEvent;
import io.outbox.spi.Outcome;
import java.util.ArrayList;
import java.util.List;

/** Takes an event from its write through the commit into the hot queue. Thread-safe. */
public final class HotPath {

  /** What became of a committed event. */
  public enum HotOffer {
    QUEUED,
    /** Already in our hands by another way. */
    HELD,
    /** No room; the poller will find it. */
    DROPPED,
    /** Its delivery is paused; the poller finds it when that ends. */
    PAUSED,
    /** Its listener is down; the poller finds it when that answers. */
    DOWN,
    /** Enough events wait for a place at its listener; the poller finds it when they do not. */
    BUSY
  }

  /** Knows for which events nobody can be called now. */
  public interface Halts {
    /** If so, its row waits for the poller. */
    boolean isUnwanted(EventEnvelope event);

    /** Why it is left to the poller. */
    HotOffer whyLeft(EventEnvelope event);
  }

  /** What the engine does when a delivery ends. */
  public interface Ends {
    /** Whether an event may be delivered while another one is. */
    boolean mayBePassed();

    /** An event is in the hot queue. */
    void queued();

    /** Rows were committed that the poller is to find. */
    void left();

    /** The database answered somebody: no reason to wait out an outage. */
    void databaseAnswered();

    /** The outcome is in the database. */
    void settled(Delivery delivery, Outcome outcome);

    /** The outcome is to be written. */
    void finished(Delivery delivery, Outcome outcome);

    /** It was not delivered, and its lease is not needed. */
    void giveBack(EventRef ref);
  }

  private final DeliveryQueues queues;
  private final HeldEvents held;
  private final Leases leases;
  private final Halts halts;
  private final HotRowCheck rowCheck;
  private final Ends ends;

  public HotPath(
      DeliveryQueues queues,
      HeldEvents held,
      Leases leases,
      Halts halts,
      HotRowCheck rowCheck,
      Ends ends) {
    this.queues = queues;
    this.held = held;
    this.leases = leases;
    this.halts = halts;
    this.rowCheck = rowCheck;
    this.ends = ends;
  }

  /** With claim locking, leases the rows of those events that have room and opens their tickets. */
  public List<NewEvent> prepare(List<EventEnvelope> events) {
    List<NewEvent> rows = new ArrayList<>(events.size());
    boolean leased = leases.areUsed();
    for (EventEnvelope event : events) {
      Lease lease = leased && !event.isDelayed() ? openTicket(event, leases.born()) : null;
      rows.add(new NewEvent(event, lease));
    }
    return rows;
  }

  /**
   * Without claim locking, opens the tickets: no poll has seen a row so far.
   *
   * @return the events that have a ticket, and with it a place in the queue; the others are left to
   *     the poller
   */
  public List<EventEnvelope> inserted(List<EventEnvelope> events) {
    if (!leases.areUsed()) {
      events.stream().filter(this::reserve).forEach(held::replaceTicket);
    }
    return events.stream().filter(held::hasTicket).toList();
  }

  /** Delivers copies of an event before their rows are written; null if those come first. */
  BatchHook.Ahead ahead(String eventId) {
    Delivery original = held.find(eventId);
    // What may have ended a process before: with rows, only the copy that does is suspect.
    return original == null || !original.isFirstTry() || !ends.mayBePassed()
        ? null
        : new AheadOfRows(original, queues, held, leases, halts, ends);
  }

  /** Why an event that was written has no place in the queue. */
  public HotOffer leftOut(EventEnvelope event) {
    return halts.whyLeft(event);
  }

  private boolean reserve(EventEnvelope event) {
    return !event.isDelayed()
        && !halts.isUnwanted(event)
        && queues.reserveHot(Delivery.bytesOf(event));
  }

  private Lease openTicket(EventEnvelope event, Lease lease) {
    if (lease == null || halts.isUnwanted(event)) {
      return null;
    }
    long bytes = Delivery.bytesOf(event);
    if (!queues.reserveHot(bytes)) {
      return null;
    }
    if (held.openTicket(event, lease)) {
      return lease;
    }
    queues.cancelReservation(bytes);
    return null;
  }

  /**
   * Queues a committed event, if nothing is in the way.
   *
   * @param found whether its row was there right before the commit
   */
  public HotOffer committed(EventEnvelope event, boolean found) {
    ends.databaseAnswered();
    HeldEvents.Ticket ticket = held.endTicket(event);
    if ((ticket == null || ticket.lease() == null) && halts.isUnwanted(event)) {
      forget(ticket);
      return leftOut(event);
    }
    if (ticket == null) {
      // With leases an event without one may be another node's by now.
      return leases.areUsed() ? leftOut(event) : withoutTicket(event);
    }
    Delivery delivery = Delivery.ofCommitted(event, ticket.lease());
    if (!held.holdCommitted(ticket, delivery)) {
      queues.cancelReservation(ticket);
      return HotOffer.HELD;
    }
    return queuedOrReleased(delivery, queueReserved(delivery, found));
  }

  private HotOffer withoutTicket(EventEnvelope event) {
    Delivery delivery = Delivery.ofCommitted(event, null);
    if (!held.hold(delivery)) {
      return HotOffer.HELD;
    }
    boolean queued = queues.reserveHot(delivery.bytes()) && queueReserved(delivery, false);
    return queuedOrReleased(delivery, queued);
  }

  private boolean queueReserved(Delivery delivery, boolean found) {
    return rowCheck.isNeeded(found) ? rowCheck.offer(delivery) : queues.offerReserved(delivery);
  }

  /** The rows were not inserted. Without claim locking no ticket was opened for them. */
  public void insertFailed(List<NewEvent> rows) {
    for (NewEvent row : rows) {
      if (row.lease() != null) {
        HeldEvents.Ticket ticket = held.endTicket(row.envelope(), row.lease());
        forget(ticket);
      }
    }
  }

  public void databaseAnswered() {
    ends.databaseAnswered();
  }

  void rolledBack(EventEnvelope event) {
    forget(held.endTicket(event));
  }

  private void forget(HeldEvents.Ticket ticket) {
    if (ticket != null) {
      held.forget(ticket);
      queues.cancelReservation(ticket);
    }
  }

  private HotOffer queuedOrReleased(Delivery delivery, boolean queued) {
    if (queued) {
      ends.queued();
      return HotOffer.QUEUED;
    }
    held.release(delivery);
    return HotOffer.DROPPED;
  }
}
