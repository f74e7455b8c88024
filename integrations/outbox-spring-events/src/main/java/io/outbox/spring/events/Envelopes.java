package io.outbox.spring.events;

import io.outbox.EventEnvelope;

/** What all mappings do. */
final class Envelopes {

  private static final String BYTES = "application/octet-stream";

  private Envelopes() {}

  /** The event type of an event for which nobody chose one. */
  static String typeOf(Object event) {
    return event.getClass().getSimpleName();
  }

  static void payload(EventEnvelope.Builder envelope, Object payload) {
    if (payload instanceof byte[] bytes) {
      envelope.payloadBytes(bytes, BYTES);
    } else {
      envelope.payload(payload);
    }
  }

  /** Leaves out a header without a value. */
  static void header(EventEnvelope.Builder envelope, String name, Object value) {
    if (value != null) {
      envelope.header(name, value.toString());
    }
  }

  static String text(Object value) {
    return value == null ? null : value.toString();
  }
}
