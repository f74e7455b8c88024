package io.outbox.model;

import io.outbox.EventEnvelope;
import java.util.Objects;

/** What finds the listener of an event. */
public record EventRoute(String aggregateType, String eventType) {

  public EventRoute {
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(eventType, "eventType");
  }

  public static EventRoute of(EventEnvelope event) {
    return new EventRoute(event.aggregateType(), event.eventType());
  }
}
