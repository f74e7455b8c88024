package io.outbox.jdbc.store;

import java.time.Instant;

/**
 * A place on a walk, where it goes on.
 *
 * @param at with rows of this instant or before; null if the walk is not ordered by time
 * @param inclusive whether rows of this very instant are left
 * @param tie if so, those behind this one; null for all of them
 * @param crowded whether the rows of this instant are too many to be read at once
 */
record Bound(Instant at, boolean inclusive, String tie, boolean crowded) {

  /** Behind a row. */
  static Bound behind(Instant at, String tie) {
    return new Bound(at, true, tie, false);
  }

  /** With all rows of this instant. */
  static Bound from(Instant at) {
    return new Bound(at, true, null, false);
  }

  /** Behind all rows of this instant. */
  static Bound before(Instant at) {
    return new Bound(at, false, null, false);
  }

  Bound inCrowd() {
    return new Bound(at, true, tie, true);
  }
}
