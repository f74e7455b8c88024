package io.outbox.dispatch;

import io.outbox.AggregateType;
import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import java.time.Instant;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * No listener is registered for an event; it becomes DEAD. In {@code multiNode()} and {@code
 * orderedByKey()} it first waits for a node that has one.
 */
public class UnroutableEventException extends UnrecoverableException {

  private static final long serialVersionUID = 1L;
  private static final int MAX_SHOWN = 3;

  public UnroutableEventException(String message) {
    super(message);
  }

  public static UnroutableEventException noListenerFor(
      EventEnvelope event, ListenerRegistry registry) {
    return new UnroutableEventException(
        "no listener is registered for "
            + describe(EventRoute.of(event))
            + ". "
            + advice(event, registry.aggregateTypesFor(event.eventType())));
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

  private static String advice(EventEnvelope event, Set<String> aggregateTypes) {
    if (aggregateTypes.isEmpty()) {
      return "Register one, or a default listener, and replay the event.";
    }
    return "There is one for this event type "
        + aggregateTypes.stream()
            .limit(MAX_SHOWN)
            .map(UnroutableEventException::with)
            .collect(Collectors.joining(" and one "))
        + ": give both the same aggregate type, and replay the event.";
  }

  private static String with(String aggregateType) {
    return aggregateType.equals(AggregateType.GLOBAL.name())
        ? "without aggregate type"
        : "with aggregate type '" + aggregateType + "'";
  }
}
