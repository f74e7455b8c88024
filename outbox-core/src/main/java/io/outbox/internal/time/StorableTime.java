package io.outbox.internal.time;

import java.time.Instant;

/** Which instants every supported database can store and compare. */
public final class StorableTime {

  private static final Instant EARLIEST = Instant.parse("1000-01-01T00:00:00Z");

  /** The last one. */
  public static final Instant LATEST = Instant.parse("9999-12-31T23:59:59.999999Z");

  private StorableTime() {}

  /**
   * Checks an instant; null passes.
   *
   * @throws IllegalArgumentException if it cannot be stored
   */
  public static Instant require(String what, Instant value) {
    if (value != null && (value.isBefore(EARLIEST) || value.isAfter(LATEST))) {
      throw new IllegalArgumentException(
          what + " must be between " + EARLIEST + " and " + LATEST + ", but is " + value);
    }
    return value;
  }
}
