package io.outbox.operate;

import java.time.Instant;
import java.util.Objects;

/**
 * Delivery that an operator has halted on all nodes; the events wait in the table. It halts the
 * events of some types, or of a tenant, or those that go to a destination.
 *
 * @param aggregateType of these events; null for any
 * @param eventType of these events; null for any
 * @param tenantId of these events; null if it is not about a tenant
 * @param destination where these events go, as the listener names it; null if it is not about a
 *     destination
 */
public record DeliveryPause(
    String aggregateType,
    String eventType,
    String tenantId,
    String destination,
    String by,
    Instant since,
    String reason) {

  public DeliveryPause {
    Objects.requireNonNull(by, "by");
    Objects.requireNonNull(since, "since");
    int named =
        (aggregateType == null && eventType == null ? 0 : 1)
            + (tenantId == null ? 0 : 1)
            + (destination == null ? 0 : 1);
    if (named > 1) {
      throw new IllegalArgumentException(
          "a pause is about types, about a tenant or about a destination, not about several");
    }
  }

  /** Of types. */
  public DeliveryPause(
      String aggregateType, String eventType, String by, Instant since, String reason) {
    this(aggregateType, eventType, null, null, by, since, reason);
  }

  /** Whether it is about types, which may be any; if not, about a tenant or a destination. */
  public boolean isByType() {
    return tenantId == null && destination == null;
  }

  /** Whether it halts events of these types, whatever their tenant and destination. */
  public boolean matches(String otherAggregateType, String otherEventType) {
    return isByType()
        && (aggregateType == null || aggregateType.equals(otherAggregateType))
        && (eventType == null || eventType.equals(otherEventType));
  }
}
