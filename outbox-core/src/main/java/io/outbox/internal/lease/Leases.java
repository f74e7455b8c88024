package io.outbox.internal.lease;

import io.outbox.internal.OwnerId;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.time.EngineClock;
import io.outbox.model.Lease;
import java.time.Duration;

/**
 * The leases of a dispatcher: from the beginning, from the day its poller claims, or never.
 * Thread-safe.
 */
public final class Leases {

  private final StoreSession session;
  private final CallWatch calls;
  private final EngineClock clock;
  private final HeldEvents held;
  private final Runnable databaseAnswered;
  private volatile LeaseKeeper keeper; // null: without claim locking
  private boolean closed;

  /**
   * @param databaseAnswered told whenever leases were renewed
   */
  public Leases(
      StoreSession session,
      CallWatch calls,
      EngineClock clock,
      HeldEvents held,
      Runnable databaseAnswered) {
    this.session = session;
    this.calls = calls;
    this.clock = clock;
    this.held = held;
    this.databaseAnswered = databaseAnswered;
  }

  /**
   * Begins, unless the store keeps no leases.
   *
   * @param timeout null for none
   */
  public void start(String ownerId, Duration timeout) {
    if (timeout != null) {
      begin(OwnerId.unique(ownerId), timeout);
    }
  }

  private synchronized void begin(String owner, Duration timeout) {
    if (!closed && session.store().supportsLeases()) {
      LeaseKeeper fresh =
          new LeaseKeeper(
              session, calls.under(timeout), clock, held, databaseAnswered, owner, timeout);
      fresh.start();
      keeper = fresh;
    }
  }

  /**
   * What a poller claims must be renewed while it is here. A dispatcher that was not told of claim
   * locking learns of it from its poller.
   *
   * @param ownerId null if it does not claim
   */
  public synchronized void claimedAs(String ownerId, Duration timeout) {
    LeaseKeeper known = keeper;
    if (known == null) {
      if (ownerId != null) {
        begin(ownerId, timeout);
      }
    } else if (ownerId == null) {
      throw new IllegalStateException(
          "the dispatcher delivers under leases, so its poller needs claimLocking, too");
    } else if (!timeout.equals(known.timeout())) {
      throw new IllegalStateException(
          "the claim timeouts of the dispatcher and its poller differ: "
              + known.timeout()
              + " and "
              + timeout);
    }
  }

  public boolean areUsed() {
    return keeper != null;
  }

  /** For a row that is written now; null without leases, or before the database's time is known. */
  public Lease born() {
    LeaseKeeper known = keeper;
    return known == null || !clock.isSynchronized() ? null : known.born();
  }

  /** Whether the listener may be called under the lease of {@code delivery}, if it has one. */
  public boolean ensure(Delivery delivery) {
    LeaseKeeper known = keeper;
    return known == null || known.ensure(delivery);
  }

  /** To be called before a poll. */
  public void catchUp() {
    LeaseKeeper known = keeper;
    if (known != null) {
      known.catchUp();
    }
  }

  public synchronized void close() {
    closed = true;
    if (keeper != null) {
      keeper.close();
    }
  }
}
