package io.outbox.subscription;

import io.outbox.EventEnvelope;
import io.outbox.internal.subscribe.Copies;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A subscription as it is stored: a name for one of several listeners of the same events. Each
 * event of the route gets a copy for each subscription that is not ended; the copy is a row with
 * the aggregate type {@link #copyType()}.
 *
 * @param route of the events; both types are set
 * @param name unique for the route
 * @param since when it was stored, by the database's time
 * @param until when it was ended; null if it was not
 */
public record Subscription(EventRoute route, String name, Instant since, Instant until) {

  public Subscription {
    Objects.requireNonNull(route, "route");
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(since, "since");
  }

  /** Whether it gets the events that are delivered now. */
  public boolean isActive() {
    return until == null;
  }

  /** The aggregate type of its copies, for example {@code Order@@send-mail}. */
  public String copyType() {
    return Copies.typeOf(route.aggregateType(), name);
  }

  /**
   * The subscription that an event, as an interceptor or a dead-letter hook sees it, is a copy for;
   * empty if it is no copy.
   */
  public static Optional<String> nameOf(EventEnvelope event) {
    return Optional.ofNullable(Copies.subscriptionOf(Objects.requireNonNull(event, "event")));
  }

  /** The id of the event that a row is a copy of; empty if it is no copy. */
  public static Optional<String> originalIdOf(OutboxEvent row) {
    return Optional.ofNullable(Copies.originalIdOf(Objects.requireNonNull(row, "row")));
  }

  /** The event that another one is a copy of, as its listener sees it; itself if it is no copy. */
  public static EventEnvelope originalOf(EventEnvelope event) {
    return Copies.originalOf(Objects.requireNonNull(event, "event"));
  }
}
