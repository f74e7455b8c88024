package io.outbox.publish;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.util.function.Function;

/** The values of an event that a template can name. */
final class Placeholders {

  private static final String HEADER = "header.";

  private Placeholders() {}

  static Function<EventEnvelope, String> named(String name, String template) {
    Function<EventEnvelope, String> value =
        switch (name) {
          case "eventType" -> EventEnvelope::eventType;
          case "aggregateType" -> EventEnvelope::aggregateType;
          case "aggregateId" -> EventEnvelope::aggregateId;
          case "tenantId" -> EventEnvelope::tenantId;
          case "partitionKey" -> EventEnvelope::partitionKeyOrDefault;
          default -> {
            if (!name.startsWith(HEADER) || name.length() == HEADER.length()) {
              throw new IllegalArgumentException(
                  "there is no {"
                      + name
                      + "} in the template '"
                      + template
                      + "'; there are eventType, aggregateType, aggregateId, tenantId, partitionKey"
                      + " and header.NAME");
            }
            String header = name.substring(HEADER.length());
            yield event -> event.headers().get(header);
          }
        };
    return event -> {
      String found = value.apply(event);
      if (found == null || found.isBlank()) {
        throw new UnrecoverableException(
            "event "
                + event.eventId()
                + " has no "
                + name
                + ", which its destination '"
                + template
                + "' needs");
      }
      return found;
    };
  }
}
