package io.outbox.internal.call;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.UnroutableEventException;
import io.outbox.internal.OwnWork;
import io.outbox.internal.PolicedListener;
import io.outbox.internal.RepeatedWarning;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.List;
import java.util.function.BiConsumer;

/** The listener of each event, with the interceptors around it. */
public final class Listeners {

  /** Stands for a listener that was not found. */
  record Failing(Throwable reason) implements EventListener, OwnWork {
    /** Whether there is none, rather than that it cannot be told. */
    boolean isMissing() {
      return reason instanceof UnroutableEventException;
    }

    /** As long as it cannot be told, nobody was called, and the event does not grow too old. */
    @Override
    public boolean isOwnWork() {
      return reason instanceof OutageException;
    }

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
  private final RepeatedWarning warning = new RepeatedWarning(Listeners.class, Level.ERROR);

  public Listeners(ListenerRegistry registry, List<EventInterceptor> interceptors) {
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
      throw Unroutable.noListenerFor(event, registry);
    } catch (Throwable e) {
      return new Failing(e);
    }
  }

  /**
   * As {@link #find(EventEnvelope)}, for an event that has waited for a node that has one.
   *
   * @param nobodySince since when no node has; null if that is not known
   */
  EventListener find(EventEnvelope event, Instant nobodySince) {
    EventListener listener = find(event);
    return nobodySince != null && listener instanceof Failing none && none.isMissing()
        ? new Failing(Unroutable.onAnyNode(none.reason(), nobodySince))
        : listener;
  }

  /** Listeners that an event without one may have been meant for; null if none is known. */
  String nearMiss(EventEnvelope event) {
    try {
      return Unroutable.nearMiss(event, registry);
    } catch (Throwable e) {
      warning.log(() -> "there is no telling the listeners of type " + event.eventType(), e);
      return null;
    }
  }

  /** Whether all events of a route have the same listener. */
  public boolean isOneFor(EventRoute route) {
    try {
      return registry.listenerFor(route.aggregateType(), route.eventType()) != null;
    } catch (Throwable e) {
      warning.log(() -> "there is no telling the listener of " + route, e);
      return false;
    }
  }

  /** Whether some event of a route may have a listener. */
  public boolean mayHaveOneFor(EventRoute route) {
    try {
      return registry.mayHaveListenerFor(route.aggregateType(), route.eventType());
    } catch (Throwable e) {
      warning.log(() -> "there is no telling the listener of " + route, e);
      return true; // other nodes wait for this one then
    }
  }

  /** What the policy of its listener says about an event that is DEAD; null for nothing. */
  public BiConsumer<EventEnvelope, String> fallbackFor(EventEnvelope event) {
    return find(event) instanceof PolicedListener policed
        ? policed.policy().fallback().orElse(null)
        : null;
  }

  /** What is around one call of a listener. */
  Interception around(EventEnvelope event) {
    return new Interception(interceptors, event, warning);
  }
}
