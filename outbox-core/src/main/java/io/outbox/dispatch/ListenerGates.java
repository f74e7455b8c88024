package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.model.EventRoute;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A gate for each listener that was called. Thread-safe. */
final class ListenerGates {

  /** A registry may make listeners as it goes; those beyond this number share a gate. */
  private static final int MAX_GATES = 256;

  private static final int MAX_ROUTES = 1000;

  /** Listeners may be equal and yet go different ways. */
  private record Identity(Object listener) {
    @Override
    public boolean equals(Object other) {
      return other instanceof Identity identity && identity.listener == listener;
    }

    @Override
    public int hashCode() {
      return System.identityHashCode(listener);
    }
  }

  private final Map<Identity, ListenerGate> gates = new ConcurrentHashMap<>();
  private final Predicate<EventRoute> hasOneListener;
  private final Supplier<ListenerGate> newGate;
  private final ListenerGate shared;
  private final ListenerGate unroutable; // for what only fails
  private final Consumer<ListenerGate> changed;
  private volatile int closed; // most of the time none

  /**
   * @param hasOneListener whether all events of a route go the same way
   * @param changed told when a gate has closed or opened
   */
  ListenerGates(
      Predicate<EventRoute> hasOneListener,
      int maxInFlight,
      long maxBytes,
      Consumer<ListenerGate> changed) {
    this.hasOneListener = hasOneListener;
    this.changed = changed;
    this.newGate =
        () ->
            new ListenerGate(
                System::nanoTime, new InFlightLimit(maxInFlight, maxBytes), this::gateChanged);
    this.shared = newGate.get();
    this.unroutable = newGate.get();
  }

  ListenerGate of(EventListener listener) {
    if (listener instanceof Listeners.Failing) {
      return unroutable;
    }
    Identity identity =
        new Identity(listener instanceof AsyncListener async ? async.listener() : listener);
    ListenerGate gate = gates.get(identity);
    if (gate != null) {
      return gate;
    }
    return gates.size() >= MAX_GATES
        ? shared
        : gates.computeIfAbsent(identity, any -> newGate.get());
  }

  private Stream<ListenerGate> all() {
    return Stream.concat(gates.values().stream(), Stream.of(shared));
  }

  private void gateChanged(ListenerGate gate) {
    synchronized (this) {
      closed = (int) all().filter(ListenerGate::isClosed).count();
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
        : all()
            .flatMap(gate -> gate.closedRoutes().stream())
            .filter(hasOneListener)
            .limit(MAX_ROUTES)
            .toList();
  }

  boolean isClosedFor(EventEnvelope event) {
    return closed > 0 && closedRoutes().contains(EventRoute.of(event));
  }
}
