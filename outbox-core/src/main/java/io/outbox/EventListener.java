package io.outbox;

/**
 * Reacts to events of one (aggregate type, event type) pair.
 *
 * <p>Called by several worker threads at the same time, at least once per event: deduplicate by
 * {@link EventEnvelope#eventId()}. Every exception, including an {@link Error}, is a failure of
 * this event alone. For code around every event use {@link io.outbox.dispatch.EventInterceptor}.
 */
@FunctionalInterface
public interface EventListener {

  /**
   * Handles one event.
   *
   * @return what to do with the event; {@code null} means {@link DispatchResult#done()}
   * @throws Exception to retry the event; see {@link RetryAfterException} and {@link
   *     UnrecoverableException} for control over it
   */
  DispatchResult onEvent(EventEnvelope envelope) throws Exception;
}
