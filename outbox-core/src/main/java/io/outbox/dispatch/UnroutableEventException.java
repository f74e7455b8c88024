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

  private final String nearMiss;

  public UnroutableEventException(String message) {
    this(message, null);
  }

  private UnroutableEventException(String message, String nearMiss) {
    super(message);
    this.nearMiss = nearMiss;
  }

  /**
   * Which listeners there are for the same event type, but another aggregate type: often a typo.
   * For people; null if there is none.
   */
  public String nearMiss() {
    return nearMiss;
  }

  public static UnroutableEventException noListenerFor(
      EventEnvelope event, ListenerRegistry registry) {
    String nearMiss = nearMiss(registry.aggregateTypesFor(event.eventType()));
    String advice =
        nearMiss == null
            ? "Register one, or a default listener, and replay the event."
            : "T"
                + nearMiss.substring(1)
                + ": give both the same aggregate type, and replay the"
                + " event.";
    return new UnroutableEventException(
        "no listener is registered for " + describe(EventRoute.of(event)) + ". " + advice,
        nearMiss);
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

  private static String nearMiss(Set<String> aggregateTypes) {
    return aggregateTypes.isEmpty()
        ? null
        : "there is one for this event type "
            + aggregateTypes.stream()
                .limit(MAX_SHOWN)
                .map(UnroutableEventException::with)
                .collect(Collectors.joining(" and one "));
  }

  private static String with(String aggregateType) {
    return aggregateType.equals(AggregateType.GLOBAL.name())
        ? "without aggregate type"
        : "with aggregate type '" + aggregateType + "'";
  }
}
