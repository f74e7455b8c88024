package io.outbox.wiring.listener;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.model.EventRoute;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.wiring.OutboxConfigurationException;
import java.util.List;
import java.util.Objects;

/**
 * Which events a listener is for.
 *
 * @param aggregateType the name of the aggregate type, that of {@link AggregateType#GLOBAL} for
 *     events without one
 * @param eventType the name of the event type
 * @param subscription null if it is their only listener
 */
public record ListenerAddress(String aggregateType, String eventType, String subscription) {

  private static final String ACTION =
      "Name an event type, as in @OutboxListener(\"OrderPlaced\"), @OutboxListener(eventTypeClass ="
          + " OrderPlaced.class) or @OutboxListener(eventTypeClass = OrderEvents.class, eventType ="
          + " \"ORDER_PLACED\").";

  /** Checks that no type is null. */
  public ListenerAddress {
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(eventType, "eventType");
  }

  /** The address that a listener names itself. */
  public static ListenerAddress of(BoundEventListener listener) {
    Objects.requireNonNull(listener, "listener");
    return new ListenerAddress(listener.getAggregateType(), listener.getEventType(), null);
  }

  /**
   * Reads the values of an annotation.
   *
   * @param where what is annotated, for messages
   * @param eventType the name of the event type, blank if there is none
   * @param eventTypeClass its class, {@link EventType} itself if there is none
   * @param aggregateType the name of the aggregate type, blank if there is none
   * @param aggregateTypeClass its class, {@link AggregateType} itself if there is none
   * @param subscription blank if there is none
   * @throws OutboxConfigurationException if they name no event type, or name one in two ways
   */
  public static ListenerAddress of(
      String where,
      String eventType,
      Class<? extends EventType> eventTypeClass,
      String aggregateType,
      Class<? extends AggregateType> aggregateTypeClass,
      String subscription) {
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(eventType, "eventType");
    Objects.requireNonNull(eventTypeClass, "eventTypeClass");
    Objects.requireNonNull(aggregateType, "aggregateType");
    Objects.requireNonNull(aggregateTypeClass, "aggregateTypeClass");
    Objects.requireNonNull(subscription, "subscription");
    String event =
        new TypeName(where, "event type")
            .of(eventType, eventTypeClass, EventType.class, EventType::name);
    if (event == null) {
      throw new OutboxConfigurationException(
          "The @OutboxListener on " + where + " has no event type.", ACTION);
    }
    String aggregate =
        new TypeName(where, "aggregate type")
            .of(aggregateType, aggregateTypeClass, AggregateType.class, AggregateType::name);
    return new ListenerAddress(
        aggregate == null ? AggregateType.GLOBAL.name() : aggregate,
        event,
        subscription.isBlank() ? null : subscription);
  }

  /**
   * The event type of an annotation with a short form; blank if there is none.
   *
   * @param where what is annotated, for messages
   * @param value the short form
   * @throws OutboxConfigurationException if the two differ
   */
  public static String eventType(String where, String value, String eventType) {
    Objects.requireNonNull(where, "where");
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(eventType, "eventType");
    return TypeName.either(where, value, eventType);
  }

  /**
   * The names of the listener in settings, the most exact one first: {@code
   * Order@@send-mail/OrderPlaced} for a subscription, {@code Order/OrderPlaced}, {@code
   * OrderPlaced}.
   */
  public List<String> settingNames() {
    String events = new EventRoute(aggregateType, eventType).toString();
    if (subscription == null) {
      return List.of(events, eventType);
    }
    boolean global = AggregateType.GLOBAL.name().equals(aggregateType);
    String copies = (global ? "" : aggregateType) + "@@" + subscription + "/" + eventType;
    return List.of(copies, events, eventType);
  }

  /** Adds the listener of these events. */
  void register(EventListener listener, DefaultListenerRegistry registry) {
    if (subscription == null) {
      registry.register(aggregateType, eventType, listener);
    } else {
      registry.subscribe(aggregateType, eventType, subscription, listener);
    }
  }

  /** For people. */
  @Override
  public String toString() {
    String events =
        AggregateType.GLOBAL.name().equals(aggregateType)
            ? "event type '" + eventType + "'"
            : "aggregate type '" + aggregateType + "' and event type '" + eventType + "'";
    return subscription == null ? events : events + " and subscription '" + subscription + "'";
  }
}
