package io.outbox.spi.lanes;

import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * How much to read of how many keys.
 *
 * @param now a key whose first event is due later than this comes back with that event only
 * @param maxKeys visit no more keys than that; of keys that are left out a store may pass many at a
 *     time
 * @param perKey read no more events of a key than that
 * @param maxRows return no more events than that
 * @param maxBytes return no more bytes of payload and headers than that, but at least one event;
 *     for stores that can tell the size of a row without reading it, others may ignore it
 * @param without events of these routes are not wanted now, nor the events of their keys behind
 *     them: a key with such a first event is visited and comes back without a row. A store may
 *     return them all the same
 */
public record KeyQuery(
    Instant now, int maxKeys, int perKey, int maxRows, long maxBytes, List<EventRoute> without) {

  /** For all routes. */
  public KeyQuery(Instant now, int maxKeys, int perKey, int maxRows, long maxBytes) {
    this(now, maxKeys, perKey, maxRows, maxBytes, List.of());
  }

  public KeyQuery {
    Objects.requireNonNull(now, "now");
    without = List.copyOf(Objects.requireNonNull(without, "without"));
    if (maxKeys < 1 || perKey < 1 || maxRows < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "nothing may be read with " + maxKeys + ", " + perKey + ", " + maxRows + ", " + maxBytes);
    }
  }

  /** Whether an event is of one of the routes to be left out. */
  public boolean leavesOut(OutboxEvent event) {
    return without.stream()
        .anyMatch(route -> route.matches(event.aggregateType(), event.eventType()));
  }
}
