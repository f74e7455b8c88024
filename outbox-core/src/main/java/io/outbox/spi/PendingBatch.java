package io.outbox.spi;

import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Events to deliver, oldest first by {@code created_at} and {@code seq}.
 *
 * @param more whether there are more, though these are fewer than asked for
 * @param cursor where to go on, or empty if the store keeps no cursor
 * @param nextDue when the next event that is not due yet will be, if the store looked
 */
public record PendingBatch(
    List<OutboxEvent> events,
    boolean more,
    Optional<PollCursor> cursor,
    Optional<Instant> nextDue) {

  /** A batch of as many as there are, or were asked for. */
  public PendingBatch(
      List<OutboxEvent> events, Optional<PollCursor> cursor, Optional<Instant> nextDue) {
    this(events, false, cursor, nextDue);
  }

  public PendingBatch {
    events = List.copyOf(Objects.requireNonNull(events, "events"));
    Objects.requireNonNull(cursor, "cursor");
    Objects.requireNonNull(nextDue, "nextDue");
  }
}
