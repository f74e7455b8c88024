package io.outbox.spi.lanes;

import io.outbox.spi.PollCursor;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Pending events that have become due.
 *
 * @param events the longest due first
 * @param last where to go on; empty at the end
 */
public record DuePage(List<DueEvent> events, Optional<PollCursor> last) {

  public DuePage {
    events = List.copyOf(Objects.requireNonNull(events, "events"));
    Objects.requireNonNull(last, "last");
  }
}
