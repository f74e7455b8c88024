package io.outbox.internal.call;

import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.store.StoreSession;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Starts events that may have ended the process before: alone, and with the start in the database
 * before the listener is called, so that it counts if the process dies. Thread-safe.
 */
final class SuspectStarts {

  private static final Logger LOG = PrintableLogger.of(SuspectStarts.class);
  private static final long WAIT_FOR_SOLO_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final StoreSession session;
  private final SoloStart solo;
  private final Predicate<Delivery> mayBeCalled;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.ERROR);

  SuspectStarts(StoreSession session, SoloStart solo, Predicate<Delivery> mayBeCalled) {
    this.session = session;
    this.solo = solo;
    this.mayBeCalled = mayBeCalled;
  }

  /** Whether its listener is called next; if so, {@link #ended} follows. */
  boolean tryStart(Delivery delivery) throws InterruptedException {
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

  /** Others may start. */
  void ended(Delivery delivery) {
    solo.leaveAlone(delivery);
  }

  /** Whether the event is still ours, and its start in the database. */
  private boolean record(Delivery delivery) {
    try {
      return session.inTransaction(conn -> session.store().recordStart(conn, delivery.ref()));
    } catch (RuntimeException e) {
      warning.log(() -> "the start of event " + delivery.eventId() + " cannot be recorded", e);
      delivery.startMayBeRecorded();
      return false;
    }
  }

  /** Waiting for the others and for the database may have taken longer than the lease lasts. */
  private boolean isStillLeased(Delivery delivery) {
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
