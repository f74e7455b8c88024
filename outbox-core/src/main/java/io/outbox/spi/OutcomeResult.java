package io.outbox.spi;

/** The result of writing an {@link Outcome}. */
public enum OutcomeResult {
  /** It was written now. */
  WRITTEN,
  /**
   * The row already is as the outcome would make it, gone included if it would delete it: an
   * earlier write of it may have gone through.
   */
  ALREADY_THERE,
  /** Another transaction has locked the row; try again later. */
  LOCKED,
  /** The row is gone, finished, or leased to another node; the outcome is void. */
  LOST
}
