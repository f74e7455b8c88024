package io.outbox;

/**
 * Reacts to events of one (aggregate type, event type) pair.
 *
 * <p>Called on a worker thread, by several threads at once, at least once per event: deduplicate
 * downstream by {@link EventEnvelope#eventId()}. Whatever it throws, an {@link Error} included, is
 * a failure of this event alone. For what concerns every event use {@link
 * io.outbox.dispatch.EventInterceptor}.
 */
@FunctionalInterface
public interface EventListener {

  /**
   * Handles one event.
   *
   * @return what to do with the event; {@code null} means {@link DispatchResult#done()}
   * @throws Exception to have the event retried, see {@link RetryAfterException} and {@link
   *     UnrecoverableException} for control over it
   */
  DispatchResult onEvent(EventEnvelope envelope) throws Exception;
}
