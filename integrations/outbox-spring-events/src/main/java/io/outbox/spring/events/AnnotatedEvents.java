package io.outbox.spring.events;

import io.outbox.EventEnvelope;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Events whose class is {@link Outboxed}. */
final class AnnotatedEvents implements EventMapping {

  private static final String SEPARATOR = "::";

  /** Remembers a class for as long as the class itself is remembered. */
  private static final ClassValue<Optional<Rule>> RULES =
      new ClassValue<>() {
        @Override
        protected Optional<Rule> computeValue(Class<?> type) {
          return Optional.ofNullable(
                  AnnotatedElementUtils.findMergedAnnotation(type, Outboxed.class))
              .map(annotation -> Rule.of(type, annotation));
        }
      };

  private final Expressions expressions = new Expressions(null);

  /** Texts are empty if they were left out. */
  private record Rule(
      String type, String aggregateType, String aggregateId, Map<String, String> headers) {

    static Rule of(Class<?> type, Outboxed annotation) {
      String target = annotation.target();
      int separator = target.indexOf(SEPARATOR);
      return new Rule(
          annotation.type(),
          (separator < 0 ? target : target.substring(0, separator)).strip(),
          separator < 0 ? "" : target.substring(separator + SEPARATOR.length()).strip(),
          headers(type, annotation.headers()));
    }

    private static Map<String, String> headers(Class<?> type, String[] texts) {
      Map<String, String> headers = new LinkedHashMap<>();
      for (String text : texts) {
        int equals = text.indexOf('=');
        if (equals < 1) {
          throw new IllegalStateException(
              "@Outboxed of "
                  + type.getName()
                  + " has the header '"
                  + text
                  + "': write it as name=value");
        }
        headers.put(text.substring(0, equals).strip(), text.substring(equals + 1).strip());
      }
      return headers;
    }
  }

  static boolean isAnnotated(Object event) {
    return RULES.get(event.getClass()).isPresent();
  }

  @Override
  public Optional<EventEnvelope> toOutbox(Object event) {
    return RULES.get(event.getClass()).map(rule -> envelope(event, rule));
  }

  private EventEnvelope envelope(Object event, Rule rule) {
    String type =
        rule.type().isEmpty()
            ? Envelopes.typeOf(event)
            : required("type", rule.type(), expressions.evaluate(rule.type(), event));
    EventEnvelope.Builder envelope = EventEnvelope.builder(type);
    if (!rule.aggregateType().isEmpty()) {
      envelope.aggregateType(
          required(
              "target", rule.aggregateType(), expressions.evaluate(rule.aggregateType(), event)));
    }
    if (!rule.aggregateId().isEmpty()) {
      envelope.aggregateId(expressions.evaluate(rule.aggregateId(), event));
    }
    rule.headers()
        .forEach(
            (name, value) -> Envelopes.header(envelope, name, expressions.evaluate(value, event)));
    Envelopes.payload(envelope, event);
    return envelope.build();
  }

  private static String required(String what, String text, String value) {
    if (value == null) {
      throw new IllegalStateException("the expression for its " + what + " yields null: " + text);
    }
    return value;
  }
}
