package io.outbox.subscription;

import io.outbox.operate.EventSummary;
import java.util.Objects;

/**
 * The copy of an event for a subscription.
 *
 * @param eventId of the copy
 * @param row the copy as it is in the table; null if it is not there: not written yet, purged, or
 *     never written because the subscription is younger than the event
 */
public record EventCopy(Subscription subscription, String eventId, EventSummary row) {

  public EventCopy {
    Objects.requireNonNull(subscription, "subscription");
    Objects.requireNonNull(eventId, "eventId");
  }
}
