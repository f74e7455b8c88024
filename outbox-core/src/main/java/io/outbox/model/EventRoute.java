package io.outbox.model;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;

/**
 * The types that find the listener of events.
 *
 * @param aggregateType null for any
 * @param eventType null for any
 */
public record EventRoute(String aggregateType, String eventType) {

  /** All events. */
  public static final EventRoute ANY = new EventRoute(null, null);

  public static EventRoute of(EventEnvelope event) {
    return new EventRoute(event.aggregateType(), event.eventType());
  }

  /**
   * Whether it is the route of events of these types.
   *
   * @param rowsAggregateType as in the table; null is the default type
   */
  public boolean matches(String rowsAggregateType, String rowsEventType) {
    String known = rowsAggregateType == null ? AggregateType.GLOBAL.name() : rowsAggregateType;
    return (aggregateType == null || aggregateType.equals(known))
        && (eventType == null || eventType.equals(rowsEventType));
  }

  /** For people. */
  @Override
  public String toString() {
    if (aggregateType == null && eventType == null) {
      return "all events";
    }
    if (AggregateType.GLOBAL.name().equals(aggregateType)) {
      return eventType == null ? "events without aggregate type" : eventType;
    }
    return (aggregateType == null ? "*" : aggregateType)
        + "/"
        + (eventType == null ? "*" : eventType);
  }
}
