package io.outbox.spi.lanes;

import io.outbox.model.EventKey;
import java.time.Instant;
import java.util.Objects;

/**
 * A pending event that has become due, without its payload and headers.
 *
 * @param dueAt since when; another one after a retry or a replay
 */
public record DueEvent(EventKey key, String eventId, Instant dueAt) {

  public DueEvent {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(eventId, "eventId");
    Objects.requireNonNull(dueAt, "dueAt");
  }
}
