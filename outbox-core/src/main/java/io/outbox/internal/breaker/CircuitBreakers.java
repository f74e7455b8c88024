package io.outbox.internal.breaker;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import io.outbox.model.EventRoute;
import io.outbox.publish.Addressed;
import io.outbox.spi.MemberDetail.Outage;
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

/** The circuit breakers of all listeners that were called. Thread-safe. */
public final class CircuitBreakers {

  /** A registry may make listeners as it goes; those beyond this number share one. */
  private static final int MAX_BREAKERS = 256;

  private static final int MAX_ROUTES = 1000;

  /** Stands for those that share a breaker. */
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

  /** Listeners may be equal and yet have different breakers. */
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

  private final Map<Identity, ListenerBreakers> byListener = new ConcurrentHashMap<>();
  private final Predicate<EventRoute> hasOneListener;
  private final Function<Object, ListenerBreakers> newBreakers;
  private final ListenerBreakers shared;
  private final ListenerBreakers noListener; // never opens
  private final Consumer<CircuitBreaker> changed;
  private final OperatorHolds holds = new OperatorHolds(System::nanoTime);
  private volatile int open; // most of the time none
  private volatile int missingDestinations;

  /**
   * @param hasOneListener whether all events of a route go the same way
   * @param changed told when a breaker of a listener or destination has opened or closed
   */
  public CircuitBreakers(
      Predicate<EventRoute> hasOneListener,
      int maxInFlight,
      long maxBytes,
      Consumer<CircuitBreaker> changed) {
    this.hasOneListener = hasOneListener;
    this.changed = changed;
    this.newBreakers =
        listener -> {
          InFlightLimit limit = new InFlightLimit(maxInFlight, maxBytes);
          CircuitBreaker breaker =
              new CircuitBreaker(System::nanoTime, limit, this::breakerChanged);
          return new ListenerBreakers(
              breaker,
              new DestinationBreakers(
                  DestinationBreakers.addressed(listener),
                  System::nanoTime,
                  () -> breakerChanged(breaker)));
        };
    this.shared = newBreakers.apply(null);
    this.noListener = newBreakers.apply(null);
  }

  /** What operators have paused besides types. */
  public OperatorHolds holds() {
    return holds;
  }

  /** Of all events without a listener. */
  public ListenerBreakers ofNoListener() {
    return noListener;
  }

  public ListenerBreakers of(EventListener listener) {
    Identity identity = new Identity(AsyncListener.plain(listener));
    ListenerBreakers breakers = byListener.get(identity);
    if (breakers != null) {
      return breakers;
    }
    return byListener.size() >= MAX_BREAKERS
        ? shared
        : byListener.computeIfAbsent(identity, any -> newBreakers.apply(identity.listener()));
  }

  private Stream<CircuitBreaker> all() {
    return Stream.concat(byListener.values().stream(), Stream.of(shared))
        .map(ListenerBreakers::listener);
  }

  /** The breakers of destinations that are missing now. */
  Stream<DestinationBreaker> destinations() {
    return byListener.values().stream().flatMap(some -> some.destinations().missing().stream());
  }

  private void breakerChanged(CircuitBreaker breaker) {
    synchronized (this) {
      open = (int) all().filter(CircuitBreaker::isOpen).count();
      missingDestinations = (int) destinations().count();
    }
    changed.accept(breaker);
  }

  public int open() {
    return open;
  }

  public int missingDestinations() {
    return missingDestinations;
  }

  /**
   * What people are told of all that is down: whole listeners in front, then the longest outage.
   */
  public List<Outage> outages(Instant now) {
    if (open == 0 && missingDestinations == 0) {
      return List.of();
    }
    byListener.values().forEach(some -> some.destinations().forgetIdle());
    List<Outage> outages = new ArrayList<>();
    byListener.forEach((of, breakers) -> outages.addAll(breakers.outages(of.listener(), now)));
    outages.addAll(shared.outages(OTHERS, now));
    outages.sort(WHOLE_LISTENERS_FIRST.thenComparing(Outage::since));
    return outages;
  }

  /** What is not worth fetching now. */
  public List<EventRoute> heldBackRoutes() {
    return open == 0
        ? List.of()
        : all()
            .flatMap(breaker -> breaker.heldBackRoutes().stream())
            .filter(hasOneListener)
            .limit(MAX_ROUTES)
            .toList();
  }

  /** Whether its events wait for a listener that is down, even if a trial is wanted now. */
  public boolean isDownFor(EventEnvelope event) {
    return open > 0 && all().anyMatch(breaker -> breaker.holdsBack(EventRoute.of(event)));
  }

  public boolean isOpenFor(EventEnvelope event) {
    return open > 0 && isOpenFor(EventRoute.of(event));
  }

  public boolean isOpenFor(EventRoute ofEvent) {
    return open > 0 && heldBackRoutes().contains(ofEvent);
  }
}
