package io.outbox.jdbc.internal.search;

import java.time.Instant;

/**
 * A place in a search order, where a search goes on.
 *
 * @param at with rows of this instant or before; null if the order is not ordered by time
 * @param inclusive whether rows of this very instant are left
 * @param tie if so, those behind this one; null for all of them
 * @param crowded whether the rows of this instant are too many to be read at once
 */
record SearchPosition(Instant at, boolean inclusive, String tie, boolean crowded) {

  /** Behind a row. */
  static SearchPosition behind(Instant at, String tie) {
    return new SearchPosition(at, true, tie, false);
  }

  /** With all rows of this instant. */
  static SearchPosition from(Instant at) {
    return new SearchPosition(at, true, null, false);
  }

  /** Behind all rows of this instant. */
  static SearchPosition before(Instant at) {
    return new SearchPosition(at, false, null, false);
  }

  SearchPosition inCrowd() {
    return new SearchPosition(at, true, tie, true);
  }
}
