package io.outbox.model;

import java.util.Objects;

/**
 * A reference to an event with its lease: a change through it happens only while the event is
 * pending and has the same lease.
 *
 * @param leaseNumber the {@code lease_no} that was seen, or {@link #ANY_LEASE}
 * @param owner the lease's owner, or null if there was no lease
 * @param seq the number of the event's row, by which a store may find it faster; 0 if not known.
 *     References that differ in nothing else are equal
 */
public record EventRef(String eventId, long leaseNumber, String owner, long seq) {

  /** Refers to the event whatever its lease number is. */
  public static final long ANY_LEASE = -1;

  public EventRef {
    Objects.requireNonNull(eventId, "eventId");
  }

  /** Without the number of its row. */
  public EventRef(String eventId, long leaseNumber, String owner) {
    this(eventId, leaseNumber, owner, 0);
  }

  /** Refers to the event whatever its lease is. */
  public static EventRef any(String eventId) {
    return new EventRef(eventId, ANY_LEASE, null);
  }

  public static EventRef unleased(String eventId, long leaseNumber) {
    return new EventRef(eventId, leaseNumber, null);
  }

  public static EventRef leased(String eventId, Lease lease) {
    return new EventRef(eventId, lease.number(), lease.owner());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof EventRef ref
        && leaseNumber == ref.leaseNumber
        && eventId.equals(ref.eventId)
        && Objects.equals(owner, ref.owner);
  }

  @Override
  public int hashCode() {
    return 31 * eventId.hashCode() + Long.hashCode(leaseNumber);
  }

  /** Whether a pending row with these values is the one referred to. */
  public boolean matches(long leaseNo, String lockedBy) {
    return (leaseNumber == ANY_LEASE || leaseNumber == leaseNo)
        && (owner == null || owner.equals(lockedBy));
  }
}
