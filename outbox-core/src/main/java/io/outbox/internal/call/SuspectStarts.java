package io.outbox.internal.call;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.store.StoreSession;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Starts events that may have ended the process before: alone, and with the start in the database
 * before the listener is called, so that it counts if the process dies. Thread-safe.
 */
public final class SuspectStarts<D extends Delivery> {

  private static final long WAIT_FOR_SOLO_NANOS = TimeUnit.SECONDS.toNanos(2);

  /** In a longer outage no other suspect can be started, because no start can be recorded. */
  private static final long MAX_SETTLING_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final StoreSession session;
  private final HeldEvents held;
  private final SoloStart solo;
  private final Predicate<D> mayBeCalled;
  private final RepeatedWarning warning = new RepeatedWarning(SuspectStarts.class, Level.ERROR);

  /**
   * @param solo shared with all other starts
   */
  public SuspectStarts(
      StoreSession session, HeldEvents held, SoloStart solo, Predicate<D> mayBeCalled) {
    this.session = session;
    this.held = held;
    this.solo = solo;
    this.mayBeCalled = mayBeCalled;
  }

  /** Whether its listener is called next; if so, {@link #ended} follows. */
  boolean tryStart(D delivery) throws InterruptedException {
    if (!solo.tryEnterAlone(delivery, WAIT_FOR_SOLO_NANOS)) {
      return false;
    }
    boolean started = false;
    try {
      started = record(delivery) && isStillLeased(delivery);
    } finally {
      if (!started) {
        ended(delivery);
      }
    }
    return started;
  }

  /**
   * Others may start as soon as its outcome is written or lost: the next suspect may end the
   * process, and this start must not be without an outcome then.
   */
  void settled(D delivery) {
    try {
      held.awaitRelease(delivery, MAX_SETTLING_NANOS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    ended(delivery);
  }

  /** Others may start. */
  void ended(D delivery) {
    solo.leaveAlone(delivery);
  }

  /** Whether the event is still ours, and its start in the database. */
  private boolean record(D delivery) {
    try {
      return session.inTransaction(conn -> session.store().recordStart(conn, delivery.ref()));
    } catch (RuntimeException e) {
      warning.log(() -> "the start of event " + delivery.eventId() + " cannot be recorded", e);
      delivery.startMayBeRecorded();
      return false;
    }
  }

  /** Waiting for the others and for the database may have taken longer than the lease lasts. */
  private boolean isStillLeased(D delivery) {
    boolean leased = false;
    try {
      leased = mayBeCalled.test(delivery);
    } finally {
      if (!leased) {
        delivery.startMayBeRecorded();
      }
    }
    return leased;
  }
}
