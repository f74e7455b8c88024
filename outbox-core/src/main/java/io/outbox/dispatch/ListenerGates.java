package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.model.EventRoute;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A gate for each listener that was called. Thread-safe. */
final class ListenerGates {

  /** A registry may make listeners as it goes; those beyond this number share a gate. */
  private static final int MAX_GATES = 256;

  private final Map<EventListener, ListenerGate> gates = new ConcurrentHashMap<>();
  private final Supplier<ListenerGate> newGate;
  private final ListenerGate shared;
  private final Consumer<ListenerGate> changed;
  private volatile int closed; // most of the time none

  /**
   * @param changed told when a gate has closed or opened
   */
  ListenerGates(int maxInFlight, long maxBytes, Consumer<ListenerGate> changed) {
    this.changed = changed;
    this.newGate =
        () ->
            new ListenerGate(
                System::nanoTime, new InFlightLimit(maxInFlight, maxBytes), this::gateChanged);
    this.shared = newGate.get();
  }

  ListenerGate of(EventListener listener) {
    ListenerGate gate = gates.get(listener);
    if (gate != null) {
      return gate;
    }
    return gates.size() >= MAX_GATES
        ? shared
        : gates.computeIfAbsent(listener, any -> newGate.get());
  }

  private void gateChanged(ListenerGate gate) {
    synchronized (this) {
      closed = (int) gates.values().stream().filter(ListenerGate::isClosed).count();
    }
    changed.accept(gate);
  }

  int closed() {
    return closed;
  }

  /** What is not worth fetching now. */
  List<EventRoute> closedRoutes() {
    return closed == 0
        ? List.of()
        : gates.values().stream().flatMap(gate -> gate.closedRoutes().stream()).toList();
  }

  boolean isClosedFor(EventEnvelope event) {
    return closed > 0 && closedRoutes().contains(EventRoute.of(event));
  }
}
