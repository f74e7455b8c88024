package io.outbox.spi;

/** What became of an {@link Outcome} that a store was asked to write. */
public enum OutcomeResult {
  /** It was written now. */
  WRITTEN,
  /**
   * The row already is as the outcome would make it, gone included if it would delete it: an
   * earlier write of it may have gone through.
   */
  ALREADY_THERE,
  /** Somebody else has the row locked; ask again later. */
  LOCKED,
  /** The row is gone, finished, or leased to somebody else; the outcome means nothing any more. */
  LOST
}
