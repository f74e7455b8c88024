package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.model.EventRoute;
import io.outbox.model.MemberDetail.Outage;
import io.outbox.publish.Addressed;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** The ways to all listeners that were called, each with its breakers. Thread-safe. */
final class ListenerGates {

  /** A registry may make listeners as it goes; those beyond this number share a gate. */
  private static final int MAX_GATES = 256;

  private static final int MAX_ROUTES = 1000;

  /** Stands for those that share a gate. */
  private static final Addressed OTHERS =
      new Addressed() {
        @Override
        public String destinationOf(EventEnvelope event) {
          return null;
        }

        @Override
        public String toString() {
          return "other listeners";
        }
      };

  private static final Comparator<Outage> WHOLE_LISTENERS_FIRST =
      Comparator.comparing(outage -> outage.destination() != null);

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

  private final Map<Identity, ListenerWay> ways = new ConcurrentHashMap<>();
  private final Predicate<EventRoute> hasOneListener;
  private final Function<Object, ListenerWay> newWay;
  private final ListenerWay shared;
  private final ListenerWay unroutable; // for what only fails
  private final Consumer<ListenerGate> changed;
  private volatile int closed; // most of the time none
  private volatile int missingDestinations;

  /**
   * @param hasOneListener whether all events of a route go the same way
   * @param changed told when a gate, or a breaker of a destination, has closed or opened
   */
  ListenerGates(
      Predicate<EventRoute> hasOneListener,
      int maxInFlight,
      long maxBytes,
      Consumer<ListenerGate> changed) {
    this.hasOneListener = hasOneListener;
    this.changed = changed;
    this.newWay =
        listener -> {
          InFlightLimit limit = new InFlightLimit(maxInFlight, maxBytes);
          ListenerGate gate = new ListenerGate(System::nanoTime, limit, this::gateChanged);
          return new ListenerWay(
              gate,
              new DestinationBreakers(
                  DestinationBreakers.addressed(listener),
                  System::nanoTime,
                  () -> gateChanged(gate)));
        };
    this.shared = newWay.apply(null);
    this.unroutable = newWay.apply(null);
  }

  ListenerWay of(EventListener listener) {
    if (listener instanceof Listeners.Failing) {
      return unroutable;
    }
    Identity identity =
        new Identity(listener instanceof AsyncListener async ? async.listener() : listener);
    ListenerWay way = ways.get(identity);
    if (way != null) {
      return way;
    }
    return ways.size() >= MAX_GATES
        ? shared
        : ways.computeIfAbsent(identity, any -> newWay.apply(identity.listener()));
  }

  private Stream<ListenerGate> all() {
    return Stream.concat(ways.values().stream(), Stream.of(shared)).map(ListenerWay::gate);
  }

  /** The breakers of destinations that are missing now. */
  Stream<DestinationBreaker> destinations() {
    return ways.values().stream().flatMap(way -> way.destinations().missing().stream());
  }

  private void gateChanged(ListenerGate gate) {
    synchronized (this) {
      closed = (int) all().filter(ListenerGate::isClosed).count();
      missingDestinations = (int) destinations().count();
    }
    changed.accept(gate);
  }

  int closed() {
    return closed;
  }

  int missingDestinations() {
    return missingDestinations;
  }

  /**
   * What people are told of all that is down: whole listeners in front, then the longest outage.
   */
  List<Outage> outages(Instant now) {
    if (closed == 0 && missingDestinations == 0) {
      return List.of();
    }
    ways.values().forEach(way -> way.destinations().forgetIdle());
    List<Outage> outages = new ArrayList<>();
    ways.forEach((of, way) -> outages.addAll(way.outages(of.listener(), now)));
    outages.addAll(shared.outages(OTHERS, now));
    outages.sort(WHOLE_LISTENERS_FIRST.thenComparing(Outage::since));
    return outages;
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

  /** Whether its events wait for a listener that is down, even if a trial is wanted now. */
  boolean isDownFor(EventEnvelope event) {
    return closed > 0 && all().anyMatch(gate -> gate.holdsBack(EventRoute.of(event)));
  }

  boolean isClosedFor(EventEnvelope event) {
    return closed > 0 && isClosedFor(EventRoute.of(event));
  }

  boolean isClosedFor(EventRoute ofEvent) {
    return closed > 0 && closedRoutes().contains(ofEvent);
  }
}
