package io.outbox.internal.member;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * The events that operators have halted, as far as this node knows; all of them while the node may
 * not deliver at all. Thread-safe.
 */
public final class PausedRoutes {

  /** Told of a change, when it is in force. */
  public interface Listener {
    /**
     * @param begun whether some events are halted that were not
     * @param ended whether some are not any more
     */
    void changed(boolean begun, boolean ended);
  }

  private final Listener listener;
  private final BooleanSupplier mayDeliver;
  private volatile List<EventRoute> routes;

  /**
   * @param routes what is paused as long as nobody has looked
   * @param mayDeliver whether this node may deliver; its changes are not told to the listener
   */
  public PausedRoutes(List<EventRoute> routes, Listener listener, BooleanSupplier mayDeliver) {
    this.routes = List.copyOf(routes);
    this.listener = listener;
    this.mayDeliver = mayDeliver;
  }

  /** From now on these are paused, and no others. */
  public void set(List<EventRoute> now) {
    Set<EventRoute> before = new HashSet<>(routes);
    Set<EventRoute> after = new HashSet<>(now);
    if (before.equals(after)) {
      return;
    }
    routes = List.copyOf(after);
    listener.changed(!before.containsAll(after), !after.containsAll(before));
  }

  public List<EventRoute> routes() {
    return routes;
  }

  public boolean isPaused(EventEnvelope event) {
    return !routes.isEmpty() && isListed(event.aggregateType(), event.eventType())
        || !mayDeliver.getAsBoolean();
  }

  public boolean isPaused(EventRoute ofEvent) {
    return isListed(ofEvent.aggregateType(), ofEvent.eventType()) || !mayDeliver.getAsBoolean();
  }

  public boolean isPaused(OutboxEvent row) {
    return isListed(row.aggregateType(), row.eventType()) || !mayDeliver.getAsBoolean();
  }

  /** Whether nothing at all may be delivered. */
  public boolean isAllPaused() {
    return routes.contains(EventRoute.ANY) || !mayDeliver.getAsBoolean();
  }

  private boolean isListed(String aggregateType, String eventType) {
    for (EventRoute route : routes) { // most of the time none
      if (route.matches(aggregateType, eventType)) {
        return true;
      }
    }
    return false;
  }
}
