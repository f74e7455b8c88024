package io.outbox.internal.subscribe;

import io.outbox.EventEnvelope;
import io.outbox.internal.store.StoreFailures;
import io.outbox.internal.store.StoreSession;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.SubscriptionStore;
import io.outbox.subscription.Subscription;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Stores the subscriptions that have listeners on this node. Thread-safe. */
final class StoredSubscriptions {

  private static final Logger LOG = PrintableLogger.of(StoredSubscriptions.class);

  /** Nodes that start together may store the same one. */
  private static final int TRIES = 5;

  /** A failover or a restore may have lost what was stored. */
  private static final Duration STORED_AGAIN = Duration.ofMinutes(1);

  private final StoreSession session;
  private final SubscriptionStore store;
  private final ListenerRegistry registry;
  private final StoredRoutes routes;
  private Map<EventRoute, Set<String>> stored = Map.of();
  private long storedAt;

  StoredSubscriptions(
      StoreSession session,
      SubscriptionStore store,
      ListenerRegistry registry,
      StoredRoutes routes) {
    this.session = session;
    this.store = store;
    this.registry = registry;
    this.routes = routes;
  }

  /** Whether a route has subscriptions on this node. */
  boolean hasOwn(EventRoute route) {
    return registry.subscriptions().containsKey(route);
  }

  /**
   * Stores again what a restore or a failover has lost: what this node subscribes is not among
   * {@code expanded}, and nobody is known to have ended it.
   *
   * @return whether there was such a route of these events
   */
  boolean storeLost(List<EventEnvelope> events, Set<EventRoute> expanded) {
    boolean lost =
        events.stream()
            .map(EventRoute::of)
            .distinct()
            .anyMatch(route -> !expanded.contains(route) && hasOwn(route) && !wasEnded(route));
    if (lost) {
      forget();
      ensure();
    }
    return lost;
  }

  private boolean wasEnded(EventRoute route) {
    return registry.subscriptions().getOrDefault(route, Set.of()).stream()
        .map(name -> Copies.typeOf(route.aggregateType(), name))
        .allMatch(type -> routes.endOf(new EventRoute(type, route.eventType())) != null);
  }

  private synchronized void forget() {
    stored = Map.of();
  }

  /** Stores those that are not; asks no database if that was done a short time ago. */
  synchronized void ensure() {
    Map<EventRoute, Set<String>> wanted = registry.subscriptions();
    boolean lately = System.nanoTime() - storedAt < STORED_AGAIN.toNanos();
    if (wanted.isEmpty() || lately && wanted.equals(stored)) {
      return;
    }
    for (int attempt = 1; ; attempt++) {
      try {
        session.persistently(conn -> store(conn, wanted));
        stored = wanted;
        storedAt = System.nanoTime();
        return;
      } catch (IllegalStateException e) {
        throw e;
      } catch (RuntimeException e) {
        if (attempt == TRIES || StoreFailures.kindOf(e) == StoreFailures.Kind.AWAY) {
          throw e;
        }
        LOG.log(Level.DEBUG, "subscriptions could not be stored; trying again", e);
      }
    }
  }

  private Void store(Connection conn, Map<EventRoute, Set<String>> wanted) {
    if (!store.isInstalled(conn)) {
      throw new IllegalStateException(
          "subscriptions cannot be stored: their table is missing. " + store.howToInstall());
    }
    Instant now = session.store().currentTime(conn).orElseGet(Clock.systemUTC()::instant);
    List<Subscription> known = store.list(conn);
    wanted.forEach((route, names) -> names.forEach(name -> store(conn, known, route, name, now)));
    return null;
  }

  private void store(
      Connection conn, List<Subscription> known, EventRoute route, String name, Instant now) {
    Subscription same = find(known, route, name);
    if (same == null) {
      store.add(conn, route, name, now);
    } else if (!same.isActive()) {
      LOG.log(
          Level.WARNING,
          () ->
              "the subscription '%s' of %s was ended at %s: its listener gets no events until it is resumed (outbox subscriptions resume)"
                  .formatted(name, route, same.until()));
    }
  }

  private static Subscription find(List<Subscription> known, EventRoute route, String name) {
    return known.stream()
        .filter(one -> one.name().equals(name) && one.route().equals(route))
        .findFirst()
        .orElse(null);
  }
}
