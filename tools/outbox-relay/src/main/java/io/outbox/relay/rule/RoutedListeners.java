package io.outbox.relay.rule;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.registry.ListenerRegistry;
import io.outbox.relay.broker.Broker;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Finds the listener of an event by the rules: one for each broker, so that a broker that is down
 * holds back no other events. Thread-safe.
 */
public final class RoutedListeners implements ListenerRegistry {

  private final Rules rules;
  private final Map<Rule, EventListener> listeners = new IdentityHashMap<>();

  /**
   * @param publisher the one publisher of each broker
   */
  public RoutedListeners(Rules rules, Function<Broker, AsyncEventListener> publisher) {
    this.rules = rules;
    Map<Broker, EventListener> publishers = new IdentityHashMap<>();
    for (Rule rule : rules.all()) {
      listeners.put(
          rule,
          switch (rule.action()) {
            case PUBLISH ->
                publishers.computeIfAbsent(
                    rule.target().broker(), broker -> publisher.apply(broker).asEventListener());
            case DROP -> event -> DispatchResult.done();
            case DEAD -> event -> DispatchResult.dead("the relay's " + rule.name() + " says so");
          });
    }
  }

  @Override
  public EventListener listenerFor(EventEnvelope event) {
    return listeners.get(rules.of(event));
  }

  /** Null if more than the types matter. */
  @Override
  public EventListener listenerFor(String aggregateType, String eventType) {
    List<EventListener> found =
        rules.ofTypes(aggregateType, eventType).stream().map(listeners::get).distinct().toList();
    return found.size() == 1 ? found.get(0) : null;
  }

  /** The last rule takes all remaining events. */
  @Override
  public boolean mayHaveListenerFor(String aggregateType, String eventType) {
    return true;
  }
}
