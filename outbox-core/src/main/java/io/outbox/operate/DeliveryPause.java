package io.outbox.operate;

import java.time.Instant;
import java.util.Objects;

/**
 * Delivery that an operator has halted on all nodes; the events wait in the table.
 *
 * @param aggregateType of these events; null for any
 * @param eventType of these events; null for any
 */
public record DeliveryPause(
    String aggregateType, String eventType, String by, Instant since, String reason) {

  public DeliveryPause {
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(since, "since");
  }

  /** Whether it halts events of this kind. */
  public boolean matches(String otherAggregateType, String otherEventType) {
    return (aggregateType == null || aggregateType.equals(otherAggregateType))
        && (eventType == null || eventType.equals(otherEventType));
  }
}
