package io.outbox.spi;

import java.time.Instant;
import java.util.Objects;

/**
 * Where the last batch of a drain ended; made by the store, or for {@link
 * io.outbox.spi.lanes.LaneStore#due}; read by the store only.
 *
 * @param dueAt the {@code available_at} of the last unleased row read, or null
 * @param dueSeq its {@code seq}
 * @param leasedAt the {@code locked_at} of the last row read whose lease had expired, or null
 * @param leasedSeq its {@code seq}
 */
public record PollCursor(Instant dueAt, long dueSeq, Instant leasedAt, long leasedSeq) {

  /** Behind the unleased row with this time and number. */
  public static PollCursor behind(Instant dueAt, long seq) {
    return new PollCursor(Objects.requireNonNull(dueAt, "dueAt"), seq, null, 0);
  }

  /** Behind all unleased rows with this time, and those before. */
  public static PollCursor behind(Instant dueAt) {
    return behind(dueAt, Long.MAX_VALUE);
  }
}
