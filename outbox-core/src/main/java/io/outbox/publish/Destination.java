package io.outbox.publish;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/**
 * Where an event is published: the name of a topic, exchange, subject, stream or queue, or an
 * address, as a function of the event.
 */
@FunctionalInterface
public interface Destination {

  /**
   * The destination of one event, never null or blank.
   *
   * @throws UnrecoverableException if there is none for it, which makes the event DEAD
   */
  String of(EventEnvelope event);

  /**
   * A destination with the event's own values in braces, for example {@code
   * orders.{aggregateType}}. There are {@code eventType}, {@code aggregateType}, {@code
   * aggregateId}, {@code tenantId}, {@code partitionKey} and {@code header.NAME}.
   *
   * @throws IllegalArgumentException if a name in braces is unknown, or a brace is missing
   */
  static Destination template(String template) {
    return template(template, UnaryOperator.identity());
  }

  /**
   * Like {@link #template(String)}, for destinations in which some characters have a meaning.
   *
   * @param encoding of the event's values, for example as parts of an address; may throw an {@link
   *     UnrecoverableException}
   */
  static Destination template(String template, UnaryOperator<String> encoding) {
    Objects.requireNonNull(template, "template");
    Objects.requireNonNull(encoding, "encoding");
    if (template.isBlank()) {
      throw new IllegalArgumentException("the destination must not be blank");
    }
    List<Function<EventEnvelope, String>> parts = new ArrayList<>();
    int at = 0;
    while (at < template.length()) {
      int open = template.indexOf('{', at);
      int end = open < 0 ? template.length() : open;
      String text = template.substring(at, end);
      if (text.indexOf('}') >= 0) {
        throw new IllegalArgumentException("there is a } without a { in '" + template + "'");
      }
      if (!text.isEmpty()) {
        parts.add(event -> text);
      }
      if (open >= 0) {
        int close = template.indexOf('}', open);
        if (close < 0) {
          throw new IllegalArgumentException("a } is missing in '" + template + "'");
        }
        parts.add(
            Placeholders.named(template.substring(open + 1, close), template).andThen(encoding));
        end = close + 1;
      }
      at = end;
    }
    return event -> {
      StringBuilder destination = new StringBuilder();
      parts.forEach(part -> destination.append(part.apply(event)));
      return destination.toString();
    };
  }
}
