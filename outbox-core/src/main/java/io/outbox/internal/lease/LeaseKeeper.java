package io.outbox.internal.lease;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.EngineThread;
import io.outbox.model.EventRef;
import io.outbox.model.Lease;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the leases of what this process holds: one statement per beat, only for leases that have
 * become old. Thread-safe.
 */
public final class LeaseKeeper {

  private static final Duration MAX_BORN_LEASE = Duration.ofSeconds(30);

  /** A listener that is stuck for longer than this many claim timeouts loses its event. */
  private static final int MAX_TIMEOUTS_HELD = 12;

  /**
   * In a lease. One that is renewed after a third is renewed before its half, so that there is time
   * for another try.
   */
  private static final int BEATS_PER_LEASE = 6;

  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final StoreSession session;
  private final CallWatch calls;
  private final EngineClock clock;
  private final HeldEvents held;
  private final Runnable databaseAnswered;
  private final String owner;
  private final Duration timeout;
  private final Duration bornLease;
  private final RepeatedWarning warning = new RepeatedWarning(LeaseKeeper.class, Level.WARNING);
  private volatile Instant lastBeat;
  private final EngineThread thread;

  /**
   * @param databaseAnswered told whenever leases were renewed
   */
  public LeaseKeeper(
      StoreSession session,
      CallWatch calls,
      EngineClock clock,
      HeldEvents held,
      Runnable databaseAnswered,
      String owner,
      Duration timeout) {
    this.session = session.renewing(timeout);
    this.calls = calls;
    this.clock = clock;
    this.held = held;
    this.databaseAnswered = databaseAnswered;
    this.owner = owner;
    this.timeout = timeout;
    this.bornLease = timeout.compareTo(MAX_BORN_LEASE) < 0 ? timeout : MAX_BORN_LEASE;
    this.lastBeat = clock.now();
    this.thread = new EngineThread("outbox-leases-", "leases cannot be renewed", this::run);
  }

  public Duration timeout() {
    return timeout;
  }

  public void start() {
    thread.start();
  }

  public void close() {
    thread.close();
  }

  /**
   * The lease for a row that is written now. It ends early, because nobody renews it before the
   * commit: its start is dated back.
   */
  public Lease born() {
    return new Lease(owner, clock.now().minus(timeout).plus(bornLease), Lease.BORN);
  }

  /**
   * Whether the lease of {@code delivery} lasts long enough to call the listener; renews it if not.
   */
  public boolean ensure(Delivery delivery) {
    if (lastsLongEnough(delivery)) {
      return true;
    }
    try {
      // It counts from before it was asked for: an answer may come when it is over.
      return renew(List.of(delivery)).contains(delivery.eventId()) && lastsLongEnough(delivery);
    } catch (RuntimeException e) {
      warning.log(
          () ->
              "the lease of event "
                  + delivery.eventId()
                  + " cannot be renewed; another node may claim the event",
          e);
      return false;
    }
  }

  private boolean lastsLongEnough(Delivery delivery) {
    Instant lockedAt = delivery.lockedAt();
    return lockedAt == null || !isOlderThan(lockedAt, timeout.minus(bornLease.dividedBy(2)));
  }

  /**
   * To be called before a poll: when nothing could be renewed for long, what is in our hands goes
   * first, or the poll would claim it again and its outcome would be lost.
   */
  public void catchUp() {
    if (isOlderThan(lastBeat, timeout.dividedBy(3).multipliedBy(2))) {
      try {
        beat();
      } catch (Throwable e) {
        warning.log(() -> "leases cannot be renewed before the poll", e);
      }
    }
  }

  private long run() {
    try {
      beat();
      return beatNanos();
    } catch (Throwable e) {
      warning.log(() -> "leases cannot be renewed; trying again soon", e);
      return Math.min(AGAIN_NANOS, beatNanos()); // another connection may be better
    }
  }

  private long beatNanos() {
    return bornLease.toNanos() / BEATS_PER_LEASE;
  }

  /** Renews what has become old; not in a node that cannot do its work, for others could. */
  void beat() {
    if (calls.isStuck()) {
      held.all().stream()
          .filter(delivery -> delivery.lockedAt() != null)
          .forEach(this::letGoIfEnded);
      return;
    }
    Instant start = clock.now();
    renewOld();
    lastBeat = start;
  }

  /** Of what runs already the outcome will show whose it is. */
  private void letGoIfEnded(Delivery delivery) {
    EventRef lease = delivery.ref(); // first: a poll may bring another one meanwhile
    Instant lockedAt = delivery.lockedAt(); // null: its row was written meanwhile, without a lease
    if (lockedAt != null && isOlderThan(lockedAt, timeout) && delivery.drop(lease)) {
      held.release(delivery);
      delivery.endsUnwritten(null);
    }
  }

  private void renewOld() {
    List<Delivery> old = new ArrayList<>();
    for (Delivery delivery : held.all()) {
      Instant lockedAt = delivery.lockedAt();
      if (lockedAt != null
          && isOlderThan(lockedAt, timeout.dividedBy(3))
          && !isHeldTooLong(delivery)) {
        old.add(delivery);
      }
    }
    if (old.isEmpty()) {
      return;
    }
    Set<String> renewed = renew(old);
    for (Delivery delivery : old) {
      // Not renewed is not lost: another session may have the row locked. Once the lease has ended
      // somebody else delivers it; if it runs already, its outcome will show.
      if (!renewed.contains(delivery.eventId())) {
        letGoIfEnded(delivery);
      }
    }
  }

  private Set<String> renew(List<Delivery> deliveries) {
    Instant now = clock.now();
    List<EventRef> refs = deliveries.stream().map(Delivery::ref).toList();
    Set<String> renewed =
        session.inTransaction(conn -> session.store().renewLeases(conn, refs, now));
    databaseAnswered.run();
    for (Delivery delivery : deliveries) {
      if (renewed.contains(delivery.eventId())) {
        delivery.renewed(now);
      }
    }
    return renewed;
  }

  private boolean isOlderThan(Instant lockedAt, Duration age) {
    return Duration.between(lockedAt, clock.now()).compareTo(age) > 0;
  }

  private boolean isHeldTooLong(Delivery delivery) {
    long nanos = System.nanoTime() - delivery.heldSinceNanos();
    return nanos / MAX_TIMEOUTS_HELD > timeout.toNanos();
  }
}
