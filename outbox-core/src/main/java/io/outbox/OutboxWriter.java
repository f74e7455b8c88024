package io.outbox;

import java.util.List;

/**
 * Writes events in the caller's transaction. Safe for use by many threads.
 *
 * <p>Every method throws {@link IllegalStateException} without a transaction to write in, and
 * writes nothing then.
 */
public interface OutboxWriter {

  /**
   * Writes one event.
   *
   * @return its id, or null if a {@link WriterHook} suppressed it
   */
  String write(EventEnvelope event);

  /**
   * Writes an event of the given type.
   *
   * @return its id, or null if a {@link WriterHook} suppressed it
   */
  String write(String eventType, String payloadJson);

  /**
   * Writes an event of the given type.
   *
   * @return its id, or null if a {@link WriterHook} suppressed it
   */
  String write(EventType eventType, String payloadJson);

  /**
   * Writes all of them or, if it throws, none.
   *
   * @return the ids written, in order; empty if a {@link WriterHook} suppressed them
   */
  List<String> writeAll(List<EventEnvelope> events);
}
