package io.outbox.model;

import java.time.Instant;
import java.util.Objects;

/**
 * The right of one owner to deliver an event for a while.
 *
 * @param owner the name of its node, stored in {@code locked_by}
 * @param lockedAt since when, by the database's clock, stored in {@code locked_at}; it ends a claim
 *     timeout later
 * @param number counts the claims and replays of the event, stored in {@code lease_no}; an outcome
 *     is only written while the number is still the same
 */
public record Lease(String owner, Instant lockedAt, long number) {

  /** The number of the lease a row is inserted with. */
  public static final long BORN = 1;

  public Lease {
    Objects.requireNonNull(owner, "owner");
    Objects.requireNonNull(lockedAt, "lockedAt");
  }
}
