package io.outbox.internal.poll;

import io.outbox.EventEnvelope;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.time.EngineClock;
import io.outbox.internal.time.WakeUps;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Where a poller leaves what it found. */
public interface PollSink {

  /** What became of a row that was offered. */
  enum Handover {
    /** It is queued. */
    ACCEPTED,
    /** It is in our hands already; the row's own lease, if it has one, now counts. */
    HELD,
    /** It is in our hands under an older lease; the row's own is not wanted. */
    HELD_ELSEWHERE,
    /** Nobody here can read it; it is left to another node, or to the next start. */
    UNREADABLE,
    /** Its delivery is paused; it waits in the table. */
    PAUSED,
    /** There is no room. */
    FULL
  }

  /** Takes an event for which there is room. */
  boolean handle(EventEnvelope event, int attempts);

  int availableCapacity();

  /** Whether it tells of progress, so that a poller can go on at once. */
  boolean drains();

  /**
   * How the poller claims; to be called once, before it polls.
   *
   * @param ownerId null if it does not claim
   * @throws IllegalStateException if that does not go together with the sink's own settings
   */
  void claimsAs(String ownerId, Duration timeout);

  EngineClock clock();

  /** To watch over what the poller asks the database for. */
  CallWatch calls();

  WakeUps wakeUps();

  /** False while outcomes wait for the database to come back, for they go first, and at the end. */
  boolean isReady();

  /** To be called before the database is asked; what ends from now on is remembered. */
  void pollStarted();

  /** Events that need not be fetched now, because their listener cannot or must not be called. */
  default List<EventRoute> unwantedRoutes() {
    return List.of();
  }

  /** Counts how often rows that were passed are wanted after all: begin at the first again. */
  default long restarts() {
    return 0;
  }

  /**
   * Whether a listener that was busy has room for more since this was last asked: its events are
   * among the first rows.
   */
  default boolean takeRoom() {
    return false;
  }

  Handover offer(OutboxEvent row, EventEnvelope envelope);

  /** A row that no envelope can be made of becomes DEAD. */
  Handover offerUndecodable(OutboxEvent row, Throwable reason);

  /** Gives back the leases of rows that were not taken, soon if not at once. */
  void giveBack(Collection<EventRef> leases);

  /**
   * To be called when all rows were offered.
   *
   * @return false if some had to be refused because too much ended meanwhile: poll again
   */
  boolean pollFinished();

  /** Waits until there is room; false if there is none. */
  boolean awaitCapacity(long maxNanos) throws InterruptedException;

  /** Waits until an outcome was written that the last poll may not have seen; false if none was. */
  boolean awaitProgress(long maxNanos) throws InterruptedException;
}
