package io.outbox.annotation.support;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventType;
import io.outbox.annotation.OutboxListener;
import java.util.Objects;

/**
 * Which events a listener is for.
 *
 * @param aggregateType the name of the aggregate type, that of {@link AggregateType#GLOBAL} for
 *     events without one
 * @param eventType the name of the event type
 */
public record ListenerAddress(String aggregateType, String eventType) {

  private static final String ACTION =
      "Name an event type, as in @OutboxListener(\"OrderPlaced\"), @OutboxListener(eventTypeClass ="
          + " OrderPlaced.class) or @OutboxListener(eventTypeClass = OrderEvents.class, eventType ="
          + " \"ORDER_PLACED\").";

  /** Checks that neither is null. */
  public ListenerAddress {
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(eventType, "eventType");
  }

  /** The address that a listener names itself. */
  public static ListenerAddress of(BoundEventListener listener) {
    Objects.requireNonNull(listener, "listener");
    return new ListenerAddress(listener.getAggregateType(), listener.getEventType());
  }

  /**
   * Reads an annotation.
   *
   * @param where what is annotated, for messages
   * @throws InvalidListenerException if it names no event type, or names one in two ways
   */
  public static ListenerAddress of(OutboxListener annotation, String where) {
    Objects.requireNonNull(annotation, "annotation");
    Objects.requireNonNull(where, "where");
    return of(
        where,
        TypeName.either(where, annotation.value(), annotation.eventType()),
        annotation.eventTypeClass(),
        annotation.aggregateType(),
        annotation.aggregateTypeClass());
  }

  /**
   * Reads the values of an annotation, for frameworks that have no instance of it.
   *
   * @param where what is annotated, for messages
   * @param eventType the name of the event type, blank if there is none
   * @param eventTypeClass its class, {@link EventType} itself if there is none
   * @param aggregateType the name of the aggregate type, blank if there is none
   * @param aggregateTypeClass its class, {@link AggregateType} itself if there is none
   * @throws InvalidListenerException if they name no event type, or name one in two ways
   */
  public static ListenerAddress of(
      String where,
      String eventType,
      Class<? extends EventType> eventTypeClass,
      String aggregateType,
      Class<? extends AggregateType> aggregateTypeClass) {
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(eventType, "eventType");
    Objects.requireNonNull(eventTypeClass, "eventTypeClass");
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(aggregateTypeClass, "aggregateTypeClass");
    String event =
        new TypeName(where, "event type")
            .of(eventType, eventTypeClass, EventType.class, EventType::name);
    if (event == null) {
      throw new InvalidListenerException(
          "The @OutboxListener on " + where + " has no event type.", ACTION);
    }
    String aggregate =
        new TypeName(where, "aggregate type")
            .of(aggregateType, aggregateTypeClass, AggregateType.class, AggregateType::name);
    return new ListenerAddress(aggregate == null ? AggregateType.GLOBAL.name() : aggregate, event);
  }

  @Override
  public String toString() {
    return AggregateType.GLOBAL.name().equals(aggregateType)
        ? "event type '" + eventType + "'"
        : "aggregate type '" + aggregateType + "' and event type '" + eventType + "'";
  }
}
