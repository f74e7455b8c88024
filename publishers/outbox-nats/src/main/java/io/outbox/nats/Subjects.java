package io.outbox.nats;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import io.outbox.publish.Destination;

/** Subjects to publish to: words between dots, without wildcards. */
final class Subjects {

  private Subjects() {}

  /**
   * The subject of an event.
   *
   * @throws UnrecoverableException if nothing can be published to it
   */
  static String of(EventEnvelope event, Destination destination) {
    String subject = destination.of(event);
    String flaw = flaw(subject);
    if (flaw != null) {
      throw new UnrecoverableException(
          "the subject '" + subject + "' of event " + event.eventId() + " " + flaw);
    }
    return subject;
  }

  /** As operators should see it. */
  static String nameOf(String subject) {
    return "subject " + subject;
  }

  /** What is wrong with it; null if nothing is. */
  static String flaw(String subject) {
    if (subject == null || subject.isEmpty()) {
      return "is empty";
    }
    if (subject.startsWith(".") || subject.endsWith(".") || subject.contains("..")) {
      return "has an empty word";
    }
    for (int i = 0; i < subject.length(); i++) {
      char c = subject.charAt(i);
      if (Character.isWhitespace(c) || Character.isISOControl(c)) {
        return "has a space or a control character";
      }
      if (c == '*' || c == '>') {
        return "has a wildcard";
      }
    }
    return null;
  }
}
