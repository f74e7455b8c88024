package io.outbox.spring.boot.publish;

import io.outbox.AggregateType;
import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.publish.Destination;
import io.outbox.publish.MessageFormat;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.wiring.OutboxConfigurationException;
import io.outbox.wiring.Property;
import io.outbox.wiring.listener.ListenerAddress;
import java.util.List;
import java.util.function.BiConsumer;
import org.springframework.util.StringUtils;

/**
 * A publisher and the properties that say which events it is for.
 *
 * @param prefix of the properties, for example {@code outbox.kafka}
 * @param system the broker's name by OpenTelemetry's conventions
 * @param shown what traces name the destination of an event
 * @param deadLetters null if dead events go nowhere
 */
record PublisherRegistration(
    String prefix,
    String system,
    Destination shown,
    PublisherProperties properties,
    AsyncEventListener publisher,
    BiConsumer<EventEnvelope, String> deadLetters) {

  /** The setting {@code prefix.destination}. */
  static Destination destination(String prefix, PublisherProperties properties) {
    return template(prefix + ".destination", properties.getDestination());
  }

  /** The setting {@code prefix.dead-letter-destination}; null if it is not set. */
  static Destination deadLetterDestination(String prefix, PublisherProperties properties) {
    String template = properties.getDeadLetterDestination();
    return StringUtils.hasText(template)
        ? template(prefix + ".dead-letter-destination", template)
        : null;
  }

  private static Destination template(String property, String template) {
    try {
      return Destination.template(template);
    } catch (IllegalArgumentException e) {
      throw Property.invalid(property, e);
    }
  }

  /** The settings {@code prefix.format} and {@code prefix.source}. */
  static MessageFormat format(String prefix, PublisherProperties properties) {
    if (properties.getFormat() == PublisherProperties.Format.PLAIN) {
      return MessageFormat.plain();
    }
    if (properties.getSource() == null) {
      throw new OutboxConfigurationException(
          "The property "
              + prefix
              + ".format is cloudevents, but "
              + prefix
              + ".source is not set: a CloudEvent says where it comes from.",
          "Set "
              + prefix
              + ".source, for example to /shop/orders, or "
              + prefix
              + ".format=plain.");
    }
    try {
      return MessageFormat.cloudEvents(properties.getSource());
    } catch (IllegalArgumentException e) {
      throw Property.invalid(prefix + ".source", e);
    }
  }

  boolean isDefault() {
    return properties.getEventTypes().isEmpty() && properties.getAggregateTypes().isEmpty();
  }

  EventListener listener(PublisherDecorator decorator) {
    AsyncEventListener listener =
        decorator == null ? publisher : decorator.decorate(system, shown, publisher);
    return listener.asEventListener();
  }

  void register(DefaultListenerRegistry registry, EventListener listener) {
    if (isDefault()) {
      inCaseOfAnother("all events", () -> registry.registerDefault(listener));
      return;
    }
    if (properties.getEventTypes().isEmpty()) {
      for (String aggregateType : properties.getAggregateTypes()) {
        inCaseOfAnother(
            "aggregate type '" + aggregateType + "'",
            () -> registry.registerDefault(aggregateType, listener));
      }
      return;
    }
    List<String> aggregateTypes =
        properties.getAggregateTypes().isEmpty()
            ? List.of(AggregateType.GLOBAL.name())
            : properties.getAggregateTypes();
    for (String aggregateType : aggregateTypes) {
      for (String eventType : properties.getEventTypes()) {
        inCaseOfAnother(
            new ListenerAddress(aggregateType, eventType, null).toString(),
            () -> registry.register(aggregateType, eventType, listener));
      }
    }
  }

  private void inCaseOfAnother(String what, Runnable registering) {
    try {
      registering.run();
    } catch (IllegalStateException e) {
      throw new OutboxConfigurationException(
          "The publisher of " + prefix + " is for " + what + ", and so is another listener.",
          "An event has one listener. Remove the other one, or name the events of this one with "
              + prefix
              + ".event-types and "
              + prefix
              + ".aggregate-types.",
          e);
    }
  }
}
