package io.outbox;

import java.util.Objects;

/** A listener that names its own event and aggregate type. */
public abstract class BoundEventListener implements EventListener {

  private final String aggregateType;
  private final String eventType;

  public BoundEventListener(String aggregateType, String eventType) {
    this.aggregateType = Objects.requireNonNull(aggregateType, "aggregateType");
    this.eventType = Objects.requireNonNull(eventType, "eventType");
  }

  public BoundEventListener(AggregateType aggregateType, EventType eventType) {
    this(
        Objects.requireNonNull(aggregateType, "aggregateType").name(),
        Objects.requireNonNull(eventType, "eventType").name());
  }

  public String getAggregateType() {
    return aggregateType;
  }

  public String getEventType() {
    return eventType;
  }
}
