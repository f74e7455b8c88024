package io.outbox.internal.subscribe;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A user's registry as one outbox sees it: events with stored subscriptions go to the outbox's own
 * expansion, whatever listener this node has for them, and copies only to listeners of
 * subscriptions. Thread-safe.
 */
final class ExpandingRegistry implements ListenerRegistry {

  private static final Logger LOG = PrintableLogger.of(ExpandingRegistry.class);

  private final ListenerRegistry registry;
  private final StoredRoutes stored;
  private final EventListener expansion;
  private final EventListener ofUnknownCopies; // null: they have none
  private final Set<EventRoute> told = ConcurrentHashMap.newKeySet(); // as many as are stored

  /**
   * @param ofUnknownCopies gets copies for subscriptions without a listener here; null where such
   *     events wait for another node
   */
  ExpandingRegistry(
      ListenerRegistry registry,
      StoredRoutes stored,
      EventListener expansion,
      EventListener ofUnknownCopies) {
    this.registry = registry;
    this.stored = stored;
    this.expansion = expansion;
    this.ofUnknownCopies = ofUnknownCopies;
  }

  @Override
  public EventListener listenerFor(EventEnvelope event) {
    EventListener found = registry.listenerFor(event);
    if (Copies.subscriptionOf(event) != null) {
      return SubscribedListener.is(found) ? found : ofUnknownCopies;
    }
    stored.requireKnown();
    return ofEvents(found, event.aggregateType(), event.eventType());
  }

  @Override
  public EventListener listenerFor(String aggregateType, String eventType) {
    EventListener found = registry.listenerFor(aggregateType, eventType);
    if (Copies.isType(aggregateType)) {
      return found == null ? ofUnknownCopies : found;
    }
    return ofEvents(found, aggregateType, eventType);
  }

  private EventListener ofEvents(EventListener found, String aggregateType, String eventType) {
    if (found == SubscribedListeners.EXPANDS) {
      return expansion;
    }
    if (!stored.areExpanded(aggregateType, eventType)) {
      return found;
    }
    if (found != null) {
      tell(new EventRoute(aggregateType, eventType));
    }
    return expansion;
  }

  private void tell(EventRoute route) {
    if (told.add(route)) {
      LOG.log(
          Level.WARNING,
          () ->
              "%s has stored subscriptions: they get its events, and its listener on this node gets none until they are ended (outbox subscriptions list)"
                  .formatted(route));
    }
  }

  /** A registry that takes all events says so of copies, too, and another node has to wait. */
  @Override
  public boolean mayHaveListenerFor(String aggregateType, String eventType) {
    return Copies.isType(aggregateType)
        ? SubscribedListener.is(registry.listenerFor(aggregateType, eventType))
        : stored.areExpanded(aggregateType, eventType)
            || registry.mayHaveListenerFor(aggregateType, eventType);
  }

  @Override
  public Map<String, EventListener> registered() {
    return registry.registered();
  }

  @Override
  public Set<String> aggregateTypesFor(String eventType) {
    return registry.aggregateTypesFor(eventType);
  }

  @Override
  public Map<EventRoute, Set<String>> subscriptions() {
    return registry.subscriptions();
  }
}
