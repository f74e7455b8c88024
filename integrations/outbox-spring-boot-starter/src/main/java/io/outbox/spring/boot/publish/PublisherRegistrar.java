package io.outbox.spring.boot.publish;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spring.boot.OutboxBuilderCustomizer;
import io.outbox.wiring.OutboxConfigurationException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.core.Ordered;

/**
 * Registers the publishers that properties ask for, before anything is delivered, and sends the
 * events of theirs that are DEAD where the properties say.
 */
final class PublisherRegistrar
    implements SmartInitializingSingleton, OutboxBuilderCustomizer, Ordered {

  private final List<PublisherRegistration> registrations;
  private final DefaultListenerRegistry registry;
  private final PublisherDecorator decorator;
  private final Map<EventListener, BiConsumer<EventEnvelope, String>> deadLetters =
      new IdentityHashMap<>();

  /**
   * Registers in {@code registry}.
   *
   * @param registry null if there is none to register in
   * @param decorator null for none
   */
  PublisherRegistrar(
      List<PublisherRegistration> registrations,
      DefaultListenerRegistry registry,
      PublisherDecorator decorator) {
    this.registrations = List.copyOf(registrations);
    this.registry = registry;
    this.decorator = decorator;
  }

  @Override
  public void afterSingletonsInstantiated() {
    requireRegistry();
    requireOneDefault();
    for (PublisherRegistration registration : registrations) {
      EventListener listener = registration.listener(decorator);
      registration.register(registry, listener);
      if (registration.deadLetters() != null) {
        deadLetters.put(listener, registration.deadLetters());
      }
    }
  }

  private void requireRegistry() {
    if (registry == null) {
      throw new OutboxConfigurationException(
          "The property "
              + registrations.get(0).prefix()
              + ".destination is set, but the application's ListenerRegistry is not the one"
              + " DefaultListenerRegistry that publishers are registered in.",
          "Make the ListenerRegistry bean a DefaultListenerRegistry, or remove the property and"
              + " return your own publisher from your registry.");
    }
  }

  private void requireOneDefault() {
    List<String> defaults =
        registrations.stream()
            .filter(PublisherRegistration::isDefault)
            .map(PublisherRegistration::prefix)
            .sorted()
            .toList();
    if (defaults.size() > 1) {
      throw new OutboxConfigurationException(
          "There are several publishers for all events: " + String.join(", ", defaults) + ".",
          "An event has one listener. Name the events of all publishers but one, with "
              + defaults.get(0)
              + ".event-types or "
              + defaults.get(0)
              + ".aggregate-types, for example.");
    }
  }

  /** The application's own customizers come later, so that their {@code onDead} counts. */
  @Override
  public int getOrder() {
    return HIGHEST_PRECEDENCE;
  }

  @Override
  public void customize(Outbox.AbstractBuilder<?> builder) {
    if (builder instanceof Outbox.DispatchingBuilder<?> dispatching
        && registrations.stream().anyMatch(registration -> registration.deadLetters() != null)) {
      dispatching.onDead(this::dead);
    }
  }

  private void dead(EventEnvelope event, String reason) {
    EventListener listener = registry.listenerFor(event.aggregateType(), event.eventType());
    BiConsumer<EventEnvelope, String> destination = deadLetters.get(listener);
    if (destination != null) {
      destination.accept(event, reason);
    }
  }
}
