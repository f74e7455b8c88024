package io.outbox.internal.breaker;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.internal.AsyncListener;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tenants and destinations that operators have paused. Their events are fetched like all others,
 * and deferred: few of them soon, many of them at a pace that the table can bear. Thread-safe.
 */
public final class OperatorHolds {

  /** Few events look again so soon. */
  private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(2);

  private final ReturnPace pace;
  private volatile Set<String> tenants = Set.of();
  private volatile Set<String> destinations = Set.of();

  OperatorHolds(LongSupplier nanoTime) {
    this.pace = new ReturnPace(nanoTime);
  }

  /** From now on these are paused, and no others. */
  public void set(Set<String> pausedTenants, Set<String> pausedDestinations) {
    tenants = Set.copyOf(pausedTenants);
    destinations = Set.copyOf(pausedDestinations);
  }

  /** Whether an event may not be delivered to its listener now. */
  public boolean contains(EventEnvelope event, EventListener listener) {
    String tenant = event.tenantId();
    return tenant != null && tenants.contains(tenant)
        || !destinations.isEmpty() && containsDestination(event, listener);
  }

  private boolean containsDestination(EventEnvelope event, EventListener listener) {
    try {
      String name =
          DestinationBreakers.addressed(AsyncListener.plain(listener)).destinationOf(event);
      return name != null && destinations.contains(name);
    } catch (Exception e) {
      return false; // the call itself will tell
    }
  }

  /** How long an event should wait. */
  public Duration pause() {
    return Duration.ofNanos(Math.max(AGAIN_NANOS, pace.nextNanos()));
  }
}
