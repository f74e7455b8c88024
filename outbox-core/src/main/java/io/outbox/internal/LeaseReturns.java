package io.outbox.internal;

import io.outbox.model.EventRef;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Gives leases back, and tries again where another session had the row locked or the database was
 * away: a lease that nobody uses keeps its event from everybody until it ends. Thread-safe.
 */
public final class LeaseReturns {

  /** Beyond that leases simply end. */
  private static final int MAX_WAITING = 10_000;

  private final StoreSession session;
  private final WakeUps wakeUps;
  private final List<EventRef> waiting = new ArrayList<>();

  /** Wakes the poller when there is something to try again. */
  public LeaseReturns(StoreSession session, WakeUps wakeUps) {
    this.session = Objects.requireNonNull(session, "session");
    this.wakeUps = Objects.requireNonNull(wakeUps, "wakeUps");
  }

  /**
   * Gives back now what can be, the rest later. References without an owner refer to no lease.
   *
   * @throws RuntimeException if the database fails; later it is tried again
   */
  public void giveBack(Collection<EventRef> leases) {
    keep(leases.stream().filter(lease -> lease.owner() != null).toList());
    tryAgain();
  }

  /**
   * Gives back what could not be so far.
   *
   * @throws RuntimeException if the database fails; later it is tried again
   */
  public void tryAgain() {
    List<EventRef> leases = takeAll();
    if (leases.isEmpty()) {
      return;
    }
    Set<String> locked;
    try {
      locked = session.inTransaction(conn -> session.store().releaseLeases(conn, leases));
    } catch (Throwable failure) {
      keep(leases);
      throw failure;
    }
    if (!locked.isEmpty()) {
      keep(leases.stream().filter(lease -> locked.contains(lease.eventId())).toList());
      wakeUps.now();
    }
  }

  /** Leaves what could not be given back so far to the caller. */
  public synchronized List<EventRef> takeAll() {
    List<EventRef> leases = List.copyOf(waiting);
    waiting.clear();
    return leases;
  }

  private synchronized void keep(List<EventRef> leases) {
    int room = Math.max(0, MAX_WAITING - waiting.size());
    waiting.addAll(leases.subList(0, Math.min(room, leases.size())));
  }
}
