package io.outbox.model;

import java.time.Instant;
import java.util.Objects;

/**
 * How much to read of how many keys.
 *
 * @param now a key whose first event is due later than this comes back with that event only
 * @param maxKeys visit no more keys than that
 * @param perKey read no more events of a key than that
 * @param maxRows return no more events than that
 * @param maxBytes return no more bytes of payload and headers than that, but at least one event;
 *     for stores that can tell the size of a row without reading it, others may ignore it
 */
public record KeyQuery(Instant now, int maxKeys, int perKey, int maxRows, long maxBytes) {

  public KeyQuery {
    Objects.requireNonNull(now, "now");
    if (maxKeys < 1 || perKey < 1 || maxRows < 1 || maxBytes < 1) {
      throw new IllegalArgumentException(
          "nothing may be read with " + maxKeys + ", " + perKey + ", " + maxRows + ", " + maxBytes);
    }
  }
}
