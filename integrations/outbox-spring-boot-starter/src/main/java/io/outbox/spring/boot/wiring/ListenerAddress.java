package io.outbox.spring.boot.wiring;

import io.outbox.AggregateType;
import io.outbox.BoundEventListener;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.OutboxListener;
import java.util.Arrays;
import java.util.function.Function;
import org.springframework.beans.BeanUtils;
import org.springframework.util.StringUtils;

/**
 * Which events a listener is for.
 *
 * @param subscription null if it is their only listener
 */
public record ListenerAddress(String aggregateType, String eventType, String subscription) {

  private static final String ACTION =
      "Name an event type, as in @OutboxListener(\"OrderPlaced\"), @OutboxListener(eventTypeClass ="
          + " OrderPlaced.class) or @OutboxListener(eventTypeClass = OrderEvents.class, eventType ="
          + " \"ORDER_PLACED\").";

  public static ListenerAddress of(BoundEventListener listener) {
    return new ListenerAddress(listener.getAggregateType(), listener.getEventType(), null);
  }

  /**
   * Reads an annotation.
   *
   * @param where what is annotated, for messages
   */
  public static ListenerAddress of(OutboxListener annotation, String where) {
    String eventType =
        name(
            where,
            "event type",
            annotation.eventType(),
            annotation.eventTypeClass(),
            EventType.class,
            EventType::name);
    if (eventType == null) {
      throw new OutboxConfigurationException(
          "The @OutboxListener on " + where + " has no event type.", ACTION);
    }
    String aggregateType =
        name(
            where,
            "aggregate type",
            annotation.aggregateType(),
            annotation.aggregateTypeClass(),
            AggregateType.class,
            AggregateType::name);
    return new ListenerAddress(
        aggregateType == null ? AggregateType.GLOBAL.name() : aggregateType,
        eventType,
        StringUtils.hasText(annotation.subscription()) ? annotation.subscription() : null);
  }

  /** Adds a listener for these events. */
  public void register(EventListener listener, DefaultListenerRegistry registry) {
    if (subscription == null) {
      registry.register(aggregateType, eventType, listener);
    } else {
      registry.subscribe(aggregateType, eventType, subscription, listener);
    }
  }

  /** Null if neither a name nor a class is given. */
  private static <T> String name(
      String where,
      String what,
      String given,
      Class<? extends T> type,
      Class<T> none,
      Function<T, String> nameOf) {
    String text = StringUtils.hasText(given) ? given : null;
    if (type == none) {
      return text;
    }
    String problem =
        "The @OutboxListener on " + where + " names its " + what + " by " + type.getName();
    if (type.isEnum()) {
      return constant(problem, text, type, nameOf);
    }
    String name = nameOf.apply(instance(problem, type));
    if (!StringUtils.hasText(name)) {
      throw new OutboxConfigurationException(
          problem + ", whose name() is blank.", "Let name() return the " + what + ".");
    }
    if (text != null && !text.equals(name)) {
      throw new OutboxConfigurationException(
          problem + ", which is '" + name + "', and by the string '" + text + "'.",
          "Remove one of the two.");
    }
    return name;
  }

  private static <T> String constant(
      String problem, String text, Class<? extends T> type, Function<T, String> nameOf) {
    T[] constants = type.getEnumConstants();
    String names =
        String.join(
            ", ", Arrays.stream(constants).map(constant -> ((Enum<?>) constant).name()).toList());
    if (text == null && constants.length == 1) {
      return nameOf.apply(constants[0]);
    }
    for (T constant : constants) {
      if (((Enum<?>) constant).name().equals(text)) {
        return nameOf.apply(constant);
      }
    }
    throw new OutboxConfigurationException(
        problem + (text == null ? ", but not which constant." : ", which has no " + text + "."),
        "Name a constant of the enum beside it, one of: " + names + ".");
  }

  private static <T> T instance(String problem, Class<? extends T> type) {
    try {
      return BeanUtils.instantiateClass(type);
    } catch (RuntimeException e) {
      throw new OutboxConfigurationException(
          problem + ", which cannot be instantiated: " + e.getMessage(),
          "Give it a constructor without parameters, or name the type by a string.",
          e);
    }
  }

  @Override
  public String toString() {
    String events =
        AggregateType.GLOBAL.name().equals(aggregateType)
            ? "event type '" + eventType + "'"
            : "aggregate type '" + aggregateType + "' and event type '" + eventType + "'";
    return subscription == null ? events : events + " and subscription '" + subscription + "'";
  }
}
