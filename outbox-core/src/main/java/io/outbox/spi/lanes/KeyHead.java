package io.outbox.spi.lanes;

import java.time.Instant;
import java.util.Objects;

/**
 * The first pending event of a key: what the owner of a copy in memory needs to know of it.
 *
 * @param alone whether it is the event that was asked for, as it was inserted (never tried, claimed
 *     or replayed), and no other event of its key is pending behind it
 */
public record KeyHead(long seq, Instant availableAt, boolean alone) {

  public KeyHead {
    Objects.requireNonNull(availableAt, "availableAt");
  }
}
