package io.outbox.internal.subscribe;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.internal.AsyncListener;
import io.outbox.internal.PolicedListener;
import io.outbox.model.EventRoute;
import io.outbox.policy.ListenerPolicy;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The subscriptions of a registry, and their listeners. Thread-safe. */
public final class SubscribedListeners {

  /** Stands in a registry for what makes the copies of events; an outbox replaces it. */
  public static final EventListener EXPANDS =
      new EventListener() {
        @Override
        public DispatchResult onEvent(EventEnvelope event) {
          throw new OutageException(
              "event "
                  + event.eventId()
                  + " has subscriptions, which need an Outbox: build one with Outbox.singleNode(),"
                  + " multiNode(), ordered() or orderedByKey()");
        }

        @Override
        public String toString() {
          return "subscriptions";
        }
      };

  private final Map<Object, EventListener> made = new IdentityHashMap<>();
  private volatile Map<EventRoute, Set<String>> names = Map.of();

  /** The names, by the route of their events. */
  public Map<EventRoute, Set<String>> names() {
    return names;
  }

  public synchronized void add(EventRoute route, String name) {
    Map<EventRoute, Set<String>> more = new HashMap<>(names);
    Set<String> ofRoute = new TreeSet<>(more.getOrDefault(route, Set.of()));
    ofRoute.add(name);
    more.put(route, Collections.unmodifiableSet(ofRoute));
    names = Collections.unmodifiableMap(more);
  }

  /** One for each listener: it has one circuit breaker, however many subscriptions it serves. */
  public synchronized EventListener listenerFor(EventListener listener) {
    Object of = listener instanceof AsyncListener async ? async.listener() : listener;
    EventListener known = made.get(of);
    if (known == null) {
      known = newListenerFor(listener);
      made.put(of, known);
    }
    return known;
  }

  private EventListener newListenerFor(EventListener listener) {
    if (listener instanceof PolicedListener policed) {
      return ofEvents(policed.policy()).around(listenerFor(PolicedListener.plain(listener)));
    }
    return listener instanceof AsyncListener async
        ? new SubscribedListener.Async(async.listener()).asEventListener()
        : new SubscribedListener.Sync(listener);
  }

  /** A fallback sees what the listener sees. */
  private static ListenerPolicy ofEvents(ListenerPolicy policy) {
    return policy
        .fallback()
        .map(
            fallback ->
                policy.toBuilder()
                    .fallback((copy, why) -> fallback.accept(Copies.originalOf(copy), why))
                    .build())
        .orElse(policy);
  }
}
