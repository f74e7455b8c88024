package io.outbox.dispatch;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;

/** The listener of each event, with the interceptors around it. */
final class Listeners {

  private static final Logger LOG = System.getLogger(Listeners.class.getName());

  /** Stands for a listener that was not found. */
  record Failing(Throwable reason) implements EventListener {
    @Override
    public DispatchResult onEvent(EventEnvelope event) throws Exception {
      if (reason instanceof Error error) {
        throw error;
      }
      throw (Exception) reason;
    }
  }

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
      EventListener listener = registry.listenerFor(event);
      if (listener != null) {
        return listener;
      }
      throw UnroutableEventException.noListenerFor(event);
    } catch (Throwable e) {
      return new Failing(e);
    }
  }

  /** Whether all events of a route have the same listener. */
  boolean isOneFor(EventRoute route) {
    try {
      return registry.listenerFor(route.aggregateType(), route.eventType()) != null;
    } catch (Throwable e) {
      warning.log(() -> "there is no telling the listener of " + route, e);
      return false;
    }
  }

  /** What is around one call of a listener. */
  Interception around(EventEnvelope event) {
    return new Interception(interceptors, event, warning);
  }
}
