package io.outbox.spi.lanes;

import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A key that waits because one of its events is DEAD. Kept apart from the event, whose row may be
 * purged.
 *
 * @param reason why the event is DEAD; may be null
 */
public record KeyBlock(EventKey key, String eventId, Instant since, String reason) {

  public KeyBlock {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(eventId, "eventId");
    Objects.requireNonNull(since, "since");
  }
}
