package io.outbox.internal.record;

import io.outbox.internal.queue.Delivery;
import io.outbox.spi.Outcome;

/** An outcome on its way to the database, with what happened to it so far. Not thread-safe. */
public final class UnwrittenOutcome<D extends Delivery> {

  private static final int MIN_FAILURES_TO_GIVE_UP = 5;

  public final D delivery;
  public final Outcome outcome;

  /** Whether a commit of it ended without an answer: it may be in the database. */
  boolean tried;

  /** Not to be written before; see {@link System#nanoTime()}. */
  long notBeforeNanos = System.nanoTime();

  /** The batch with which a taker has it; null once it was put back. */
  Object takenWith;

  /** Whether it was written, or never will be. For the taker that has it. */
  boolean settled;

  private int locked;
  private int conflicts;
  private int failures;
  private long firstFailureNanos;
  private long successesBefore;

  public UnwrittenOutcome(D delivery, Outcome outcome) {
    this.delivery = delivery;
    this.outcome = outcome;
  }

  /** Somebody else has its row locked. Returns how often that was so before. */
  int foundLocked() {
    return locked++;
  }

  /** It was in a transaction that met a conflict. Returns how often by now. */
  int conflicted() {
    return ++conflicts;
  }

  /**
   * It was refused though it was alone in its transaction. Returns how often by now.
   *
   * @param successes how many transactions of others have succeeded so far
   */
  int refusedAlone(long successes) {
    if (failures++ == 0) {
      firstFailureNanos = System.nanoTime();
      successesBefore = successes;
    }
    return failures;
  }

  /** Whether the fault is its own: others can be written, or it has been tried for long. */
  boolean isHopeless(long successes, long maxNanos) {
    boolean othersSucceed = successes > successesBefore;
    boolean longEnough = System.nanoTime() - firstFailureNanos > maxNanos;
    return failures >= MIN_FAILURES_TO_GIVE_UP && (othersSucceed || longEnough);
  }
}
