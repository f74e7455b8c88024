package io.outbox.internal.lease;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRef;
import java.lang.System.Logger.Level;
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
  private final Runnable whenLocked;
  private final RepeatedWarning warning = new RepeatedWarning(LeaseReturns.class, Level.WARNING);
  private final List<EventRef> waiting = new ArrayList<>();

  /** Calls {@code whenLocked} when there is something to try again soon. */
  public LeaseReturns(StoreSession session, Runnable whenLocked) {
    this.session = Objects.requireNonNull(session, "session");
    this.whenLocked = Objects.requireNonNull(whenLocked, "whenLocked");
  }

  /** Gives back now what can be, the rest later. References without an owner refer to no lease. */
  public void giveBack(Collection<EventRef> leases) {
    keep(leases);
    tryAgain();
  }

  /** Gives back what could not be so far. Failures are logged: nobody is to be held up by them. */
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
      warning.log(() -> leases.size() + " leases cannot be given back yet", failure);
      return;
    }
    if (!locked.isEmpty()) {
      keep(leases.stream().filter(lease -> locked.contains(lease.eventId())).toList());
      whenLocked.run();
    }
  }

  /** Leaves what could not be given back so far to the caller. */
  public synchronized List<EventRef> takeAll() {
    List<EventRef> leases = List.copyOf(waiting);
    waiting.clear();
    return leases;
  }

  /** Leaves them to {@link #tryAgain()} or {@link #takeAll()}. */
  public synchronized void keep(Collection<EventRef> refs) {
    List<EventRef> leases = refs.stream().filter(ref -> ref.owner() != null).toList();
    int room = Math.max(0, MAX_WAITING - waiting.size());
    waiting.addAll(leases.subList(0, Math.min(room, leases.size())));
  }
}
