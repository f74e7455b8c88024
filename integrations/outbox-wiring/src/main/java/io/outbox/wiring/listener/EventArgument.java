package io.outbox.wiring.listener;

import io.outbox.EventEnvelope;
import io.outbox.PayloadParseException;
import java.lang.reflect.Type;

/** Takes from an event what a parameter asks for. */
@FunctionalInterface
interface EventArgument {

  Object of(EventEnvelope event);

  /** Null if a payload cannot be read into the type. */
  static EventArgument of(Type type) {
    if (type == EventEnvelope.class) {
      return event -> event;
    } else if (type == String.class) {
      return EventArgument::json;
    } else if (type == byte[].class) {
      return EventArgument::bytes;
    }
    Class<?> raw = Types.raw(type);
    return raw.isPrimitive() || !Types.isReadable(type) ? null : event -> event.payload(raw);
  }

  private static String json(EventEnvelope event) {
    if (event.payloadJson() == null) {
      throw new PayloadParseException(
          "the payload of event " + event.eventId() + " is bytes, not JSON");
    }
    return event.payloadJson();
  }

  private static byte[] bytes(EventEnvelope event) {
    if (event.payloadBytes() == null) {
      throw new PayloadParseException(
          "the payload of event " + event.eventId() + " is JSON, not bytes");
    }
    return event.payloadBytes();
  }
}
