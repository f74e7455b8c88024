package io.outbox.spring.events;

import io.outbox.EventEnvelope;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.RoutingTarget;
import org.springframework.util.ClassUtils;

/**
 * Events that Spring Modulith selects for externalization, routed and mapped as it is configured.
 */
final class ModulithEvents implements EventMapping {

  private static final String MESSAGE = "org.springframework.messaging.Message";

  /** Its targets are those of the annotation alone. */
  private static final EventExternalizationConfiguration ANNOTATION =
      EventExternalizationConfiguration.externalizing()
          .select(EventExternalizationConfiguration.annotatedAsExternalized())
          .build();

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
        : Optional.of(envelope(event, mapped(event)));
  }

  private Object mapped(Object event) {
    Object mapped = configuration.map(event);
    for (Class<?> type : ClassUtils.getAllInterfaces(mapped)) {
      if (type.getName().equals(MESSAGE)) {
        throw new IllegalStateException(
            "it is mapped to a Message: map it to the payload alone, and set its headers by"
                + " headers(...) of the EventExternalizationConfiguration");
      }
    }
    return mapped;
  }

  private EventEnvelope envelope(Object event, Object mapped) {
    RoutingTarget target = configuration.determineTarget(event);
    EventEnvelope.Builder envelope =
        EventEnvelope.builder(Envelopes.typeOf(event))
            .aggregateType(text(target, RoutingTarget::getTarget, event, mapped))
            .aggregateId(text(target, RoutingTarget::getKey, event, mapped));
    headers(event, mapped).forEach((name, value) -> Envelopes.header(envelope, name, value));
    Envelopes.payload(envelope, mapped);
    return envelope.build();
  }

  /** Modulith itself asks for those of the mapped event. */
  private Map<String, Object> headers(Object event, Object mapped) {
    Map<String, Object> headers = configuration.getHeadersFor(mapped);
    return headers.isEmpty() ? configuration.getHeadersFor(event) : headers;
  }

  /** Evaluates what stands in an annotation; anything else may be data. */
  private String text(
      RoutingTarget target, Function<RoutingTarget, String> part, Object event, Object mapped) {
    String text = part.apply(target);
    boolean annotated =
        text != null
            && (text.equals(part.apply(ANNOTATION.determineTarget(event)))
                || text.equals(part.apply(ANNOTATION.determineTarget(mapped))));
    return annotated ? expressions.evaluate(text, event) : text;
  }
}
