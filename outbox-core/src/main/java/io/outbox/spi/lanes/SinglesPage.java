package io.outbox.spi.lanes;

import io.outbox.model.OutboxEvent;
import io.outbox.spi.PollCursor;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Pending events that are the only ones of their keys.
 *
 * @param rows the longest due first
 * @param owned how many of the events read have a key of the requested lanes
 * @param last where to go on; empty at the end
 */
public record SinglesPage(List<OutboxEvent> rows, int owned, Optional<PollCursor> last) {

  public SinglesPage {
    rows = List.copyOf(Objects.requireNonNull(rows, "rows"));
    Objects.requireNonNull(last, "last");
  }
}
