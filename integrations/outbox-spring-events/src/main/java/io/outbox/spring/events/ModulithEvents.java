package io.outbox.spring.events;

import io.outbox.EventEnvelope;
import java.util.Optional;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;

/**
 * Events that Spring Modulith selects for externalization, routed and mapped as it is configured.
 */
final class ModulithEvents implements EventMapping {

  private final EventExternalizationConfiguration configuration;
  private final Expressions expressions;

  ModulithEvents(EventExternalizationConfiguration configuration, BeanFactory beans) {
    this.configuration = configuration;
    this.expressions = new Expressions(beans);
  }

  /** An event that is {@link Outboxed} too is not for this mapping. */
  @Override
  public Optional<EventEnvelope> toOutbox(Object event) {
    return !configuration.supports(event) || AnnotatedEvents.isAnnotated(event)
        ? Optional.empty()
        : Optional.of(envelope(event));
  }

  private EventEnvelope envelope(Object event) {
    RoutingTarget target = configuration.determineTarget(event);
    EventEnvelope.Builder envelope =
        EventEnvelope.builder(Envelopes.typeOf(event))
            .aggregateType(evaluate(target, target.getTarget(), event))
            .aggregateId(evaluate(target, target.getKey(), event));
    configuration
        .getHeadersFor(event)
        .forEach((name, value) -> Envelopes.header(envelope, name, value));
    Envelopes.payload(envelope, configuration.map(event));
    return envelope.build();
  }

  /** Modulith decides whether a text is an expression: a key may be data. */
  private String evaluate(RoutingTarget target, String text, Object event) {
    return target.hasExpression() ? expressions.evaluate(text, event) : text;
  }
}
