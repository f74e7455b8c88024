package io.outbox.dispatch;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import java.util.Objects;

/**
 * Called around every dispatch, on the worker's thread, and before every write: audit, logging,
 * metrics, context. Must be safe for use by many threads.
 */
public interface EventInterceptor {

  /**
   * Before an event is written, in registration order, on the writer's thread and in its
   * transaction, which may still be rolled back. An exception reaches the caller of the writer, and
   * nothing is written.
   *
   * @return what to write, never null; {@link EventEnvelope#withHeaders} makes a copy
   */
  default EventEnvelope beforeWrite(EventEnvelope event) {
    return event;
  }

  /**
   * Before the listener, in registration order. If it throws, the listener is not called and the
   * event has failed.
   */
  default void beforeDispatch(EventEnvelope event) throws Exception {}

  /**
   * After the listener, in reverse order; called for every dispatch that began. Exceptions are
   * logged.
   *
   * @param error null if the listener returned
   */
  default void afterDispatch(EventEnvelope event, Exception error) {}

  /**
   * Like {@link #beforeDispatch}, and called right after it, for an interceptor that keeps state
   * until the listener has finished, or changes the event for the listener.
   *
   * @return null if it does neither
   */
  default Dispatch around(EventEnvelope event) throws Exception {
    return null;
  }

  static EventInterceptor before(BeforeHook hook) {
    Objects.requireNonNull(hook, "hook");
    return new EventInterceptor() {
      @Override
      public void beforeDispatch(EventEnvelope event) throws Exception {
        hook.accept(event);
      }
    };
  }

  static EventInterceptor after(AfterHook hook) {
    Objects.requireNonNull(hook, "hook");
    return new EventInterceptor() {
      @Override
      public void afterDispatch(EventEnvelope event, Exception error) {
        hook.accept(event, error);
      }
    };
  }

  /**
   * One dispatch, from {@link EventInterceptor#around} on. Exceptions of its methods are logged.
   */
  interface Dispatch {

    /** The event for the listener and for later interceptors; never null. */
    EventEnvelope event();

    /** The listener has left the worker's thread, on which this is called. It may answer later. */
    default void returned() {}

    /**
     * The listener has answered, or the dispatch has failed. Called once, on the thread that
     * brought it about; before {@link #returned()} only if a listener outlives its timeout.
     *
     * @param result may be null, which means done
     * @param error null if it did not fail
     */
    default void ended(DispatchResult result, Throwable error) {}
  }

  /** See {@link EventInterceptor#beforeDispatch}. */
  @FunctionalInterface
  interface BeforeHook {
    void accept(EventEnvelope event) throws Exception;
  }

  /** See {@link EventInterceptor#afterDispatch}. */
  @FunctionalInterface
  interface AfterHook {
    void accept(EventEnvelope event, Exception error);
  }
}
