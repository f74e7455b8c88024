package io.outbox.relay.broker;

import io.outbox.publish.MessageFormat;
import io.outbox.relay.yaml.Position;
import io.outbox.relay.yaml.Section;
import io.outbox.relay.yaml.Values;
import java.net.URI;

/**
 * What all brokers can be told.
 *
 * @param destination of rules that name none; null if they must
 * @param deadLetterDestination null if events that are DEAD go nowhere
 */
record CommonSettings(
    String name,
    Position at,
    String destination,
    String deadLetterDestination,
    MessageFormat format) {

  private enum Format {
    PLAIN,
    CLOUDEVENTS
  }

  static CommonSettings read(String name, Section section) {
    return new CommonSettings(
        name,
        section.at(),
        section.text("destination"),
        section.text("dead-letter-destination"),
        format(section));
  }

  private static MessageFormat format(Section section) {
    Format format = Values.of(section).choice("format", Format.class, Format.PLAIN);
    String source = section.text("source");
    if (format == Format.PLAIN) {
      if (source != null) {
        section.problem("source", "is for format: cloudevents");
      }
      return MessageFormat.plain();
    }
    if (source == null) {
      section.problem(
          "format", "a CloudEvent says where it comes from: set 'source', such as /shop/orders");
      return MessageFormat.plain();
    }
    try {
      return MessageFormat.cloudEvents(URI.create(source));
    } catch (IllegalArgumentException e) {
      section.problem("source", "must be an address or a path, but is '" + source + "'");
      return MessageFormat.plain();
    }
  }
}
