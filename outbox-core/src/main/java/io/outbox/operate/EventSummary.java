package io.outbox.operate;

import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.Objects;

/**
 * A row of the table as a list shows it: without payload and headers, so that a page is small
 * whatever the events are.
 *
 * @param aggregateType null in rows that name none
 * @param waitingSince when it was first due, if a retry or deferral has moved that; else null
 * @param doneAt when it became DONE or DEAD; null before
 * @param replayedAt when it was replayed last; null if never
 * @param lastError no more than its first {@value #ERROR_LENGTH} characters
 * @param lockedBy the node that has leased it, or null
 * @param leaseNumber counts claims and replays
 * @param seq the number the database gave it when it was inserted
 */
public record EventSummary(
    String eventId,
    String eventType,
    String aggregateType,
    String aggregateId,
    String tenantId,
    String orderingKey,
    EventStatus status,
    int attempts,
    Instant createdAt,
    Instant availableAt,
    Instant waitingSince,
    Instant doneAt,
    Instant replayedAt,
    String lastError,
    String lockedBy,
    Instant lockedAt,
    long leaseNumber,
    long seq) {

  /** How much of an error a list shows. */
  public static final int ERROR_LENGTH = 300;

  public EventSummary {
    Objects.requireNonNull(eventId, "eventId");
    Objects.requireNonNull(eventType, "eventType");
    Objects.requireNonNull(status, "status");
    Objects.requireNonNull(createdAt, "createdAt");
    Objects.requireNonNull(availableAt, "availableAt");
  }

  /** The summary of this row. */
  public static EventSummary of(OutboxEvent event) {
    String error = event.lastError();
    return new EventSummary(
        event.eventId(),
        event.eventType(),
        event.aggregateType(),
        event.aggregateId(),
        event.tenantId(),
        event.orderingKey(),
        event.status(),
        event.attempts(),
        event.createdAt(),
        event.availableAt(),
        event.waitingSince(),
        event.doneAt(),
        event.replayedAt(),
        error == null || error.length() <= ERROR_LENGTH ? error : error.substring(0, ERROR_LENGTH),
        event.lease() == null ? null : event.lease().owner(),
        event.lease() == null ? null : event.lease().lockedAt(),
        event.leaseNumber(),
        event.seq());
  }

  /** The key whose events are delivered in order, where they are. */
  public EventKey key() {
    return EventKey.of(orderingKey, aggregateType, aggregateId, eventId);
  }

  public LifecycleState state() {
    return LifecycleState.of(status, lockedBy != null);
  }
}
