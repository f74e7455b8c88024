package io.outbox.spi.lanes;

import io.outbox.model.EventKey;
import io.outbox.model.OutboxEvent;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Pending events of some keys.
 *
 * @param rows the first events of each key that was visited, all of a key together in the order of
 *     their {@code seq}
 * @param keys how many keys were visited, keys without a row included: the cost of the page
 * @param last the last key that was visited, if there may be more behind it; empty at the end
 */
public record KeyPage(List<OutboxEvent> rows, int keys, Optional<EventKey> last) {

  public KeyPage {
    rows = List.copyOf(Objects.requireNonNull(rows, "rows"));
    Objects.requireNonNull(last, "last");
  }
}
