package io.outbox.console;

import io.outbox.model.OutboxEvent;
import java.util.Objects;

/**
 * Masks an event's payload and headers before the console shows them, for example to hide personal
 * data. If it throws, neither is shown. Called by many threads.
 */
@FunctionalInterface
public interface PayloadMask {

  /** Shows everything. */
  PayloadMask NONE = Content::of;

  /** Shows no payload and no header. */
  PayloadMask ALL = event -> Content.HIDDEN;

  /** What to show of this event; best made from {@link Content#of}. */
  Content show(OutboxEvent event);

  /**
   * The part of an event that is shown. A null is shown as hidden, if the event has a value.
   *
   * @param payloadJson the payload, if it is text
   * @param payloadBytes the payload, if it is bytes; not copied
   * @param headersJson an object of strings
   */
  record Content(String payloadJson, byte[] payloadBytes, String headersJson) {

    /** Nothing. */
    public static final Content HIDDEN = new Content(null, null, null);

    /** All of it. */
    public static Content of(OutboxEvent event) {
      Objects.requireNonNull(event, "event");
      return new Content(event.payloadJson(), event.payloadBytes(), event.headersJson());
    }

    /** The same with another text as payload; null hides it. */
    public Content withPayloadJson(String value) {
      return new Content(value, payloadBytes, headersJson);
    }

    /** The same with other bytes as payload; null hides them. */
    public Content withPayloadBytes(byte[] value) {
      return new Content(payloadJson, value, headersJson);
    }

    /** The same with other headers; null hides them. */
    public Content withHeadersJson(String value) {
      return new Content(payloadJson, payloadBytes, value);
    }
  }
}
