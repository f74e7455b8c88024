package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.registry.ListenerRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/** The listener of each event, with the interceptors around it. */
final class Listeners {

  private static final Logger LOG = System.getLogger(Listeners.class.getName());

  private final ListenerRegistry registry;
  private final List<EventInterceptor> interceptors;
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.ERROR);

  Listeners(ListenerRegistry registry, List<EventInterceptor> interceptors) {
    this.registry = registry;
    this.interceptors = List.copyOf(interceptors);
  }

  /** The listener of an event. If there is none, or it cannot be told, it is one that fails. */
  EventListener find(EventEnvelope event) {
    try {
      EventListener listener = registry.listenerFor(event.aggregateType(), event.eventType());
      if (listener != null) {
        return listener;
      }
      throw UnroutableEventException.noListenerFor(event);
    } catch (Throwable e) {
      return any -> {
        if (e instanceof Error error) {
          throw error;
        }
        throw (Exception) e;
      };
    }
  }

  /** Returns the listener's result, or the {@link java.util.concurrent.CompletionStage} of it. */
  Object call(EventListener listener, EventEnvelope event) throws Exception {
    for (EventInterceptor interceptor : interceptors) {
      interceptor.beforeDispatch(event);
    }
    return listener instanceof AsyncListener async ? async.start(event) : listener.onEvent(event);
  }

  void ended(EventEnvelope event, Throwable failure) {
    Exception error =
        failure == null || failure instanceof Exception
            ? (Exception) failure
            : new IllegalStateException("the listener threw " + failure, failure);
    for (int i = interceptors.size() - 1; i >= 0; i--) {
      try {
        interceptors.get(i).afterDispatch(event, error);
      } catch (Throwable e) {
        warning.log(() -> "afterDispatch failed for event " + event.eventId(), e);
      }
    }
  }
}
