package io.outbox.internal.subscribe;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.internal.Conditions;
import io.outbox.internal.RepeatedWarning;
import io.outbox.internal.settings.OutboxSettings;
import io.outbox.internal.store.CallWatch;
import io.outbox.internal.store.StoreSession;
import io.outbox.internal.write.WriteSteps;
import io.outbox.model.EventRoute;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.SubscriptionStore;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** What one start of an outbox needs for subscriptions. */
public final class SubscribedDelivery implements AutoCloseable {

  private static final Logger LOG = PrintableLogger.of(SubscribedDelivery.class);

  /** For how long a copy waits that nobody has a listener for, where there are no other nodes. */
  private static final Duration UNKNOWN_AGAIN = Duration.ofSeconds(10);

  private final ListenerRegistry registry;
  private final CallWatch calls;
  private final StoredSubscriptions stored; // null: the store keeps none
  private final StoredRoutes routes; // null: the same
  private final Expansion expansion; // null: the same
  private final RepeatedWarning warning = new RepeatedWarning(LOG, Level.WARNING);

  private SubscribedDelivery(OutboxSettings settings) {
    this.calls = calls(settings);
    this.registry = settings.listenerRegistry;
    this.stored = null;
    this.routes = null;
    this.expansion = null;
  }

  private SubscribedDelivery(
      OutboxSettings settings, SubscriptionStore store, Supplier<WriteSteps> steps) {
    this.calls = calls(settings);
    StoreSession session =
        new StoreSession(settings.connectionProvider, settings.outboxStore, calls);
    ListenerRegistry users = settings.listenerRegistry;
    this.routes = new StoredRoutes(session, store);
    this.stored = new StoredSubscriptions(session, store, users, routes);
    this.expansion = new Expansion(new CopyWriter(session, store, routes, steps), stored, steps);
    this.registry =
        new ExpandingRegistry(
            users,
            routes,
            expansion.asEventListener(),
            settings.mode.isForOneProcess() ? this::waits : null);
  }

  /** Nobody may wait longer for its rows than for a node that is gone. */
  private static CallWatch calls(OutboxSettings settings) {
    CallWatch calls = new CallWatch(new Conditions(settings.clock::instant));
    if (settings.mode.isForOneProcess()) {
      return calls;
    }
    return calls.under(settings.claimTimeout == null ? settings.laneLease : settings.claimTimeout);
  }

  /**
   * Stores the subscriptions of this node, if the database can be reached.
   *
   * @param steps of the writer that delivers; asked for after {@link #start}
   * @throws IllegalStateException if there are subscriptions that cannot be stored
   */
  public static SubscribedDelivery of(OutboxSettings settings, Supplier<WriteSteps> steps) {
    ListenerRegistry users = settings.listenerRegistry;
    boolean used = !users.subscriptions().isEmpty();
    if (settings.outboxStore.subscriptions().isEmpty()) {
      if (used) {
        throw new IllegalStateException(
            "subscriptions need a store that keeps them; " + settings.outboxStore + " does not");
      }
      return new SubscribedDelivery(settings);
    }
    SubscribedDelivery delivery =
        new SubscribedDelivery(settings, settings.outboxStore.subscriptions().get(), steps);
    if (used) {
      delivery.store();
    }
    delivery.routes.start();
    return delivery;
  }

  private void store() {
    try {
      stored.ensure();
    } catch (IllegalStateException e) {
      close();
      throw e;
    } catch (RuntimeException e) {
      LOG.log(Level.WARNING, "subscriptions are not stored yet; trying again", e);
      expansion.storeLater();
    }
  }

  /** The listeners as the engine is to see them. */
  public ListenerRegistry registry() {
    return registry;
  }

  /** Its calls to the database. */
  public CallWatch calls() {
    return calls;
  }

  /** From now on copies are made. */
  public void start() {
    if (expansion != null) {
      expansion.start();
    }
  }

  /** Another version of this process may have the listener, or will have. */
  private DispatchResult waits(EventEnvelope copy) {
    Instant end = routes.endOf(EventRoute.of(copy));
    if (end != null) {
      return DispatchResult.dead("its subscription was ended at " + end);
    }
    warning.log(
        () ->
            "no listener for %s of type %s: copies wait until one comes, or their subscription is ended"
                .formatted(copy.aggregateType(), copy.eventType()));
    return DispatchResult.retryAfter(UNKNOWN_AGAIN);
  }

  /** After the engine. */
  @Override
  public void close() {
    if (expansion != null) {
      routes.close();
      expansion.close();
    }
  }
}
