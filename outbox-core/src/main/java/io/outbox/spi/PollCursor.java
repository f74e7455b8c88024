package io.outbox.spi;

import java.time.Instant;

/**
 * Where the last batch of a drain ended; made and read by the store only.
 *
 * @param dueAt the {@code available_at} of the last unleased row read, or null
 * @param dueSeq its {@code seq}
 * @param leasedAt the {@code locked_at} of the last row read whose lease had expired, or null
 * @param leasedSeq its {@code seq}
 */
public record PollCursor(Instant dueAt, long dueSeq, Instant leasedAt, long leasedSeq) {}
