package io.outbox.internal.hot;

import io.outbox.EventEnvelope;
import io.outbox.internal.lease.LeaseKeeper;
import io.outbox.internal.lease.LeaseReturns;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.Lease;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.NewEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

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
    DOWN
  }

  private final EngineClock clock;
  private final MetricsExporter metrics;
  private final HeldEvents held;
  private final DeliveryQueues queues;
  private final LeaseReturns returns;
  private final WakeUps wakeUps;
  private final Supplier<LeaseKeeper> leases; // null: without claim locking
  private final Runnable databaseAnswered;
  private final Predicate<EventEnvelope> unwanted;
  private final Function<EventEnvelope, HotOffer> whyLeft;
  private final boolean checkAllRows;
  private final boolean rowsMayBeLost;
  private final HotRowCheck rowCheck; // null: not needed

  /**
   * @param unwanted events that nobody can be called for now: their rows wait for the poller
   * @param whyLeft why an event is left to the poller
   * @param capacity how many committed events may wait for a look at their rows
   * @param checkAllRows whether the row of each event is to be looked at
   */
  public HotPath(
      StoreSession session,
      EngineClock clock,
      MetricsExporter metrics,
      HeldEvents held,
      DeliveryQueues queues,
      LeaseReturns returns,
      WakeUps wakeUps,
      Supplier<LeaseKeeper> leases,
      Runnable databaseAnswered,
      Predicate<EventEnvelope> unwanted,
      Function<EventEnvelope, HotOffer> whyLeft,
      int capacity,
      boolean checkAllRows) {
    this.clock = clock;
    this.metrics = metrics;
    this.held = held;
    this.queues = queues;
    this.returns = returns;
    this.wakeUps = wakeUps;
    this.leases = leases;
    this.databaseAnswered = databaseAnswered;
    this.unwanted = unwanted;
    this.whyLeft = whyLeft;
    this.checkAllRows = checkAllRows;
    this.rowsMayBeLost = session.store().mayLoseRowsInTransaction();
    this.rowCheck =
        checkAllRows || rowsMayBeLost ? new HotRowCheck(session, capacity, this::rowChecked) : null;
  }

  public void start() {
    if (rowCheck != null) {
      rowCheck.start();
    }
  }

  /** Returns what was not queued. */
  public List<Delivery> close() {
    return rowCheck == null ? List.of() : rowCheck.close();
  }

  /** With claim locking, leases the rows of those events that have room and opens their tickets. */
  public List<NewEvent> prepare(List<EventEnvelope> events) {
    List<NewEvent> rows = new ArrayList<>(events.size());
    LeaseKeeper keeper = leases.get();
    for (EventEnvelope event : events) {
      boolean leased = keeper != null && !event.isDelayed();
      rows.add(new NewEvent(event, leased ? openTicket(event, keeper.born()) : null));
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
    if (leases.get() == null) {
      events.stream().filter(this::reserve).forEach(held::replaceTicket);
    }
    return events.stream().filter(held::hasTicket).toList();
  }

  /** Why an event that was written has no place in the queue. */
  public HotOffer leftOut(EventEnvelope event) {
    return whyLeft.apply(event);
  }

  private boolean reserve(EventEnvelope event) {
    return !event.isDelayed()
        && !unwanted.test(event)
        && queues.reserveHot(Delivery.bytesOf(event));
  }

  private Lease openTicket(EventEnvelope event, Lease lease) {
    long bytes = Delivery.bytesOf(event);
    if (!clock.isSynchronized() || unwanted.test(event) || !queues.reserveHot(bytes)) {
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
    databaseAnswered.run();
    HeldEvents.Ticket ticket = held.endTicket(event);
    if ((ticket == null || ticket.lease() == null) && unwanted.test(event)) {
      forget(ticket);
      return leftOut(event);
    }
    if (ticket == null) {
      // With leases an event without one may be another node's by now.
      return leases.get() != null ? leftOut(event) : withoutTicket(event);
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
    boolean unsure = checkAllRows || rowsMayBeLost && !found;
    return unsure ? offerToRowCheck(delivery) : queues.offerReserved(delivery);
  }

  /** What waits to be looked at has its place in the queue already. */
  private boolean offerToRowCheck(Delivery delivery) {
    boolean offered = rowCheck.offer(delivery);
    if (!offered) {
      queues.cancelReservation(delivery.bytes());
    }
    return offered;
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
    databaseAnswered.run();
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
      metrics.incrementHotEnqueued();
      return HotOffer.QUEUED;
    }
    held.release(delivery);
    return HotOffer.DROPPED;
  }

  private void rowChecked(Delivery delivery, boolean there) {
    if (!queueChecked(delivery, there)) {
      returns.giveBack(List.of(delivery.ref()));
      held.release(delivery);
      wakeUps.now();
    }
  }

  private boolean queueChecked(Delivery delivery, boolean there) {
    if (!there) {
      queues.cancelReservation(delivery.bytes());
    }
    return there && queues.offerReserved(delivery);
  }
}
