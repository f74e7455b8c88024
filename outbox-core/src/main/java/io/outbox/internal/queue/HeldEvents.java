package io.outbox.internal.queue;

import io.outbox.EventEnvelope;
import io.outbox.internal.Guard;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.function.Consumer;

/**
 * What this process has in its hands, so that without a failure no event is delivered twice.
 *
 * <p>An event that is written gets a ticket. The commit callback and a poll that sees the row may
 * come in either order: the first takes the ticket, the other finds it taken. Thread-safe.
 */
public final class HeldEvents {

  /** A commit callback that has not come after this long will not come. */
  private static final long TICKET_NANOS = TimeUnit.HOURS.toNanos(2);

  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_REMEMBERED = 10_000;

  private enum Taken {
    BY_NOBODY,
    BY_POLL,
    BY_COMMIT
  }

  /** The right to queue an event once it is committed. */
  public static final class Ticket {
    private final EventEnvelope envelope;
    private final Lease lease;
    private final long openedNanos = System.nanoTime();
    private Taken taken = Taken.BY_NOBODY;
    private boolean ended;

    private Ticket(EventEnvelope envelope, Lease lease) {
      this.envelope = envelope;
      this.lease = lease;
    }

    /** The lease the row was born with; null if none. */
    public Lease lease() {
      return lease;
    }

    public EventEnvelope envelope() {
      return envelope;
    }

    /** True for the one caller that has to return the reserved place. */
    private synchronized boolean end() {
      boolean first = !ended;
      ended = true;
      return first;
    }

    private synchronized boolean takeForCommit() {
      boolean free = taken == Taken.BY_NOBODY;
      taken = free ? Taken.BY_COMMIT : taken;
      return free;
    }

    /** Also when an earlier poll had it: what is held says the rest. */
    private synchronized boolean takeForPoll() {
      boolean free = taken != Taken.BY_COMMIT;
      taken = free ? Taken.BY_POLL : taken;
      return free;
    }
  }

  private final ConcurrentHashMap<String, Ticket> tickets = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Delivery> held = new ConcurrentHashMap<>();
  private final Set<String> endedDuringPoll = ConcurrentHashMap.newKeySet();
  private final AtomicInteger remembered = new AtomicInteger();
  private final Guard lock = new Guard();
  private final Condition progressed = lock.newCondition();
  private long progress;
  private volatile boolean polling;
  private final Consumer<Ticket> expired;
  private final long ticketNanos;
  private final int maxRemembered;
  private volatile long nextSweepNanos;

  public HeldEvents() {
    this(ticket -> {});
  }

  /** Calls {@code expired} with each ticket whose transaction never told how it ended. */
  public HeldEvents(Consumer<Ticket> expired) {
    this(expired, TICKET_NANOS, MAX_REMEMBERED);
  }

  public HeldEvents(Consumer<Ticket> expired, long ticketNanos, int maxRemembered) {
    this.expired = expired;
    this.ticketNanos = ticketNanos;
    this.maxRemembered = maxRemembered;
    this.nextSweepNanos = System.nanoTime() + sweepNanos();
  }

  /** Opens a ticket; false if the id is being written by another transaction. */
  public boolean openTicket(EventEnvelope envelope, Lease lease) {
    sweep();
    return tickets.putIfAbsent(envelope.eventId(), new Ticket(envelope, lease)) == null;
  }

  /**
   * Opens a ticket for an event whose row was inserted: another transaction that wrote the same id
   * is over, even if it has not told. Only for tickets without a lease.
   */
  public void replaceTicket(EventEnvelope envelope) {
    sweep();
    Ticket replaced = tickets.put(envelope.eventId(), new Ticket(envelope, null));
    if (replaced != null && replaced.end()) {
      expired.accept(replaced);
    }
  }

  public boolean hasTicket(EventEnvelope envelope) {
    Ticket ticket = tickets.get(envelope.eventId());
    return ticket != null && ticket.envelope == envelope;
  }

  /**
   * Ends the ticket of this very envelope; null if it has none. To be followed by {@link
   * #holdCommitted} or {@link #forget}.
   */
  public Ticket endTicket(EventEnvelope envelope) {
    Ticket ticket = tickets.get(envelope.eventId());
    boolean ours = ticket != null && ticket.envelope == envelope;
    return ours && ticket.end() ? ticket : null;
  }

  /** As {@link #endTicket(EventEnvelope)}, only if it was opened with this very lease. */
  public Ticket endTicket(EventEnvelope envelope, Lease lease) {
    Ticket ticket = tickets.get(envelope.eventId());
    return ticket != null && ticket.lease == lease ? endTicket(envelope) : null;
  }

  public void forget(Ticket ticket) {
    tickets.remove(ticket.envelope.eventId(), ticket);
  }

  /** Holds a committed event, unless a poll was first. */
  public boolean holdCommitted(Ticket ticket, Delivery delivery) {
    try {
      return ticket.takeForCommit() && hold(delivery);
    } finally {
      // Only now: a poll that found neither the ticket nor the event would deliver it, too.
      forget(ticket);
    }
  }

  /** Holds an event; false if it is held already. */
  public boolean hold(Delivery delivery) {
    return held.putIfAbsent(delivery.eventId(), delivery) == null;
  }

  /** Holds an event that somebody queued by hand; false also if a poll has read it too early. */
  public boolean holdQueued(Delivery delivery) {
    if (!hold(delivery)) {
      return false;
    }
    // Looked at after holding: release() remembers before it lets go.
    if (PlainPoll.mayBeOutdated(delivery.eventId())) {
      held.remove(delivery.eventId(), delivery);
      return false;
    }
    return true;
  }

  /** Holds an event that a poll has seen; false if its row may have been read before it ended. */
  public boolean holdPolled(Delivery delivery) {
    String id = delivery.eventId();
    Ticket ticket = tickets.get(id);
    if (ticket != null && !ticket.takeForPoll()) {
      return false; // the commit callback is about to hold it
    }
    if (!hold(delivery)) {
      return false;
    }
    // Looked at after holding: release() remembers before it lets go.
    if (isRemembered(id)) {
      held.remove(id, delivery);
      return false;
    }
    return true;
  }

  public Collection<Delivery> all() {
    return new ArrayList<>(held.values());
  }

  /** Null if it is not held. */
  public Delivery find(String eventId) {
    return held.get(eventId);
  }

  public boolean contains(String eventId) {
    return held.containsKey(eventId);
  }

  public int size() {
    return held.size();
  }

  /** Lets go of an event whose outcome is in the database, or that is left to others. */
  public void release(Delivery delivery) {
    if (polling) {
      if (remembered.incrementAndGet() <= maxRemembered) {
        endedDuringPoll.add(delivery.eventId());
      }
    }
    PlainPoll.ended(delivery.eventId());
    held.remove(delivery.eventId(), delivery);
    delivery.left(); // it may not have come to its listener
  }

  /** Lets waiting pollers look again. */
  public void signalProgress() {
    try (Guard guard = lock.lock()) {
      progress++;
      progressed.signalAll();
    }
  }

  /** A number that changes with each progress. */
  public long progress() {
    try (Guard guard = lock.lock()) {
      return progress;
    }
  }

  /** Waits for progress beyond {@code seen}; false if there is none, but something is held. */
  public boolean awaitProgress(long seen, long nanos) throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (progress == seen && !held.isEmpty() && nanos > 0) {
        nanos = progressed.awaitNanos(nanos);
      }
      return progress != seen || held.isEmpty();
    }
  }

  /** Waits until {@code delivery} is let go of; progress is to be signalled after that. */
  public void awaitRelease(Delivery delivery, long nanos) throws InterruptedException {
    try (Guard guard = lock.lockInterruptibly()) {
      while (held.get(delivery.eventId()) == delivery && nanos > 0) {
        nanos = progressed.awaitNanos(nanos);
      }
    }
  }

  public void pollStarted() {
    endedDuringPoll.clear();
    remembered.set(0);
    polling = true;
  }

  /** Whether every event that ended during the poll could be remembered. */
  public boolean pollFinished() {
    polling = false;
    return remembered.get() <= maxRemembered;
  }

  private boolean isRemembered(String id) {
    return remembered.get() > maxRemembered || endedDuringPoll.contains(id);
  }

  /** Whether an offered row is held and may go on under the lease it was just claimed with. */
  public boolean adopt(OutboxEvent row) {
    Delivery delivery = held.get(row.eventId());
    return delivery != null && delivery.adopt(row);
  }

  /** Ends tickets whose time is over; to be called now and then if few are opened. */
  public void sweep() {
    long now = System.nanoTime();
    if (now - nextSweepNanos > 0) {
      nextSweepNanos = now + sweepNanos();
      for (Ticket ticket : tickets.values()) {
        if (now - ticket.openedNanos > ticketNanos && ticket.end()) {
          forget(ticket);
          expired.accept(ticket);
        }
      }
    }
  }

  private long sweepNanos() {
    return Math.min(SWEEP_NANOS, ticketNanos);
  }
}
