package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What this process has in its hands, so that without a failure no event is delivered twice.
 *
 * <p>An event that is written gets a ticket. The commit callback and a poll that sees the row may
 * come in either order: whoever is first takes the ticket, the other finds it taken. Thread-safe.
 */
final class HeldEvents {

  /** A commit callback that has not come after this long will not come. */
  private static final long TICKET_NANOS = TimeUnit.HOURS.toNanos(2);

  private static final long SWEEP_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final int MAX_REMEMBERED = 10_000;

  /** The right to queue an event once it is committed. */
  static final class Ticket {
    private final EventEnvelope envelope;
    private final Lease lease;
    private final long openedNanos = System.nanoTime();
    private boolean taken;

    private Ticket(EventEnvelope envelope, Lease lease) {
      this.envelope = envelope;
      this.lease = lease;
    }

    /** The lease the row was born with; null if none. */
    Lease lease() {
      return lease;
    }

    EventEnvelope envelope() {
      return envelope;
    }

    private synchronized boolean take() {
      boolean first = !taken;
      taken = true;
      return first;
    }
  }

  private final ConcurrentHashMap<String, Ticket> tickets = new ConcurrentHashMap<>();
  private final ConcurrentHashMap<String, Delivery> held = new ConcurrentHashMap<>();
  private final Set<String> endedDuringPoll = ConcurrentHashMap.newKeySet();
  private final AtomicInteger remembered = new AtomicInteger();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition progressed = lock.newCondition();
  private long progress;
  private volatile boolean polling;
  private volatile long nextSweepNanos = System.nanoTime() + SWEEP_NANOS;

  /** Opens a ticket; false if the id is being written by another transaction or held. */
  boolean openTicket(EventEnvelope envelope, Lease lease) {
    sweep();
    return tickets.putIfAbsent(envelope.eventId(), new Ticket(envelope, lease)) == null;
  }

  /** Ends the ticket of this very envelope; null if it has none. */
  Ticket closeTicket(EventEnvelope envelope) {
    Ticket ticket = tickets.get(envelope.eventId());
    boolean ours = ticket != null && ticket.envelope == envelope;
    return ours && tickets.remove(envelope.eventId(), ticket) ? ticket : null;
  }

  /** Holds a committed event, unless a poll was first. */
  boolean holdCommitted(Ticket ticket, Delivery delivery) {
    return ticket.take() && hold(delivery);
  }

  /** Holds an event; false if it is held already. */
  boolean hold(Delivery delivery) {
    return held.putIfAbsent(delivery.eventId(), delivery) == null;
  }

  /** Holds an event that a poll has seen; false if its row may have been read before it ended. */
  boolean holdPolled(Delivery delivery) {
    String id = delivery.eventId();
    Ticket ticket = tickets.get(id);
    if (ticket != null && !ticket.take()) {
      // The commit callback has it, or an earlier poll had it: what is held says the rest.
      if (held.containsKey(id)) {
        return false;
      }
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

  Collection<Delivery> all() {
    return new ArrayList<>(held.values());
  }

  int size() {
    return held.size();
  }

  /** Lets go of an event whose outcome is in the database, or that is left to others. */
  void release(Delivery delivery) {
    if (polling) {
      if (remembered.incrementAndGet() <= MAX_REMEMBERED) {
        endedDuringPoll.add(delivery.eventId());
      }
    }
    held.remove(delivery.eventId(), delivery);
  }

  /** Lets waiting pollers look again. */
  void signalProgress() {
    lock.lock();
    try {
      progress++;
      progressed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** A number that changes with each progress. */
  long progress() {
    lock.lock();
    try {
      return progress;
    } finally {
      lock.unlock();
    }
  }

  /** Waits for progress beyond {@code seen}; false if there is none, but something is held. */
  boolean awaitProgress(long seen, long nanos) throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (progress == seen && !held.isEmpty() && nanos > 0) {
        nanos = progressed.awaitNanos(nanos);
      }
      return progress != seen || held.isEmpty();
    } finally {
      lock.unlock();
    }
  }

  void pollStarted() {
    endedDuringPoll.clear();
    remembered.set(0);
    polling = true;
  }

  /** Whether every event that ended during the poll could be remembered. */
  boolean pollFinished() {
    polling = false;
    return remembered.get() <= MAX_REMEMBERED;
  }

  private boolean isRemembered(String id) {
    return remembered.get() > MAX_REMEMBERED || endedDuringPoll.contains(id);
  }

  /** Whether an offered row is held and may go on under the lease it was just claimed with. */
  boolean adopt(OutboxEvent row) {
    Delivery delivery = held.get(row.eventId());
    return delivery != null && delivery.adopt(row);
  }

  private void sweep() {
    long now = System.nanoTime();
    if (now - nextSweepNanos > 0) {
      nextSweepNanos = now + SWEEP_NANOS;
      tickets.values().removeIf(ticket -> now - ticket.openedNanos > TICKET_NANOS);
    }
  }
}
