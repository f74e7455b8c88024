package io.outbox.internal.call;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.dispatch.UnroutableEventException;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;

/** Says that an event has no listener, and what to do. */
public final class Unroutable {

  private static final int MAX_SHOWN = 3;

  private Unroutable() {}

  public static UnroutableEventException noListenerFor(
      EventEnvelope event, ListenerRegistry registry) {
    return new UnroutableEventException(
        "no listener is registered for "
            + describe(EventRoute.of(event))
            + ". "
            + advice(nearMiss(event, registry)));
  }

  /** The same, of an event that has waited. */
  public static UnroutableEventException onAnyNode(Throwable none, Instant since) {
    return new UnroutableEventException(
        "no live node has had a listener since " + since + ": " + none.getMessage());
  }

  /** A route for people. */
  public static String describe(EventRoute route) {
    return "event type '" + route.eventType() + "' " + with(route.aggregateType());
  }

  /**
   * Which listeners there are for the same event type, but another aggregate type: often a typo.
   * For people; null if there is none.
   */
  static String nearMiss(EventEnvelope event, ListenerRegistry registry) {
    Set<String> aggregateTypes = registry.aggregateTypesFor(event.eventType());
    return aggregateTypes.isEmpty()
        ? null
        : "there is one for this event type "
            + aggregateTypes.stream()
                .limit(MAX_SHOWN)
                .map(Unroutable::with)
                .collect(Collectors.joining(" and one "));
  }

  private static String advice(String nearMiss) {
    return nearMiss == null
        ? "Register one, or a default listener, and replay the event."
        : "T"
            + nearMiss.substring(1)
            + ": give both the same aggregate type, and replay the event.";
  }

  private static String with(String aggregateType) {
    return aggregateType.equals(AggregateType.GLOBAL.name())
        ? "without aggregate type"
        : "with aggregate type '" + aggregateType + "'";
  }
}
