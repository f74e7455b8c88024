package io.outbox.spi;

import io.outbox.model.EventStatus;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * The copies of events for subscriptions, counted with bounded effort.
 *
 * @param counts pending and DEAD copies; kinds without copies are left out
 * @param allPending whether all pending events of the table were looked at
 * @param allDead whether all DEAD events of the table were looked at
 */
public record CopyCounts(List<OfType> counts, boolean allPending, boolean allDead) {

  /** Of a store that does not count them. */
  public static final CopyCounts UNKNOWN = new CopyCounts(List.of(), false, false);

  public CopyCounts {
    counts = List.copyOf(Objects.requireNonNull(counts, "counts"));
  }

  /**
   * Copies of one type and status.
   *
   * @param aggregateType of the copies, for example {@code Order@@send-mail}
   * @param oldest when the oldest of them was first due or replayed, or will be due; null if they
   *     are not pending
   */
  public record OfType(
      String aggregateType, String eventType, EventStatus status, long count, Instant oldest) {

    public OfType {
      Objects.requireNonNull(aggregateType, "aggregateType");
      Objects.requireNonNull(eventType, "eventType");
      Objects.requireNonNull(status, "status");
    }
  }
}
