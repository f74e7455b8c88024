package io.outbox.internal.subscribe;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import java.util.Map;
import java.util.Set;

/**
 * A user's registry as one outbox sees it: events with subscriptions go to the outbox's own
 * expansion. Thread-safe.
 */
final class ExpandingRegistry implements ListenerRegistry {

  private final ListenerRegistry registry;
  private final EventListener expansion;
  private final EventListener ofUnknownCopies; // null: they have none

  /**
   * @param ofUnknownCopies gets copies for subscriptions without a listener here; null where such
   *     events wait for another node
   */
  ExpandingRegistry(
      ListenerRegistry registry, EventListener expansion, EventListener ofUnknownCopies) {
    this.registry = registry;
    this.expansion = expansion;
    this.ofUnknownCopies = ofUnknownCopies;
  }

  private EventListener seen(EventListener found, String aggregateType) {
    if (found == SubscribedListeners.EXPANDS) {
      return expansion;
    }
    return found == null && ofUnknownCopies != null && Copies.isType(aggregateType)
        ? ofUnknownCopies
        : found;
  }

  @Override
  public EventListener listenerFor(String aggregateType, String eventType) {
    return seen(registry.listenerFor(aggregateType, eventType), aggregateType);
  }

  @Override
  public EventListener listenerFor(EventEnvelope event) {
    return seen(registry.listenerFor(event), event.aggregateType());
  }

  @Override
  public boolean mayHaveListenerFor(String aggregateType, String eventType) {
    return registry.mayHaveListenerFor(aggregateType, eventType);
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
