package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import java.util.Objects;

/**
 * Called around every dispatch, on the worker's thread: audit, logging, metrics, context. Must be
 * safe for use by many threads.
 */
public interface EventInterceptor {

  /**
   * Before the listener, in registration order. If it throws, the listener is not called and the
   * event has failed.
   */
  default void beforeDispatch(EventEnvelope event) throws Exception {}

  /**
   * After the listener, in reverse order; called for every dispatch that began. What it throws is
   * logged.
   *
   * @param error null if the listener returned
   */
  default void afterDispatch(EventEnvelope event, Exception error) {}

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
