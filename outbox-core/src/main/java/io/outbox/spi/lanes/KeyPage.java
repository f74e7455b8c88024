package io.outbox.spi.lanes;

import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Pending events of some keys.
 *
 * @param rows the first events of each key that was visited, all of a key together in the order of
 *     their {@code seq}
 * @param keys how many keys were visited, keys without a row included: the cost of the page
 * @param last the last key that was visited, if there may be more behind it; empty at the end
 * @param overtaken keys with events that ended while they were read: there are fewer rows than were
 *     asked for, or none, but there may be more behind them
 */
public record KeyPage(
    List<OutboxEvent> rows, int keys, Optional<EventKey> last, Set<EventKey> overtaken) {

  public KeyPage {
    rows = List.copyOf(Objects.requireNonNull(rows, "rows"));
    Objects.requireNonNull(last, "last");
    overtaken = Set.copyOf(Objects.requireNonNull(overtaken, "overtaken"));
  }

  /** A page that one statement has read: nothing ended meanwhile. */
  public KeyPage(List<OutboxEvent> rows, int keys, Optional<EventKey> last) {
    this(rows, keys, last, Set.of());
  }
}
