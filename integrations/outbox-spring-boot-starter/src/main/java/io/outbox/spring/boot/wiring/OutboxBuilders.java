package io.outbox.spring.boot.wiring;

import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.lanes.LaneStore;
import io.outbox.spring.boot.OutboxBuilderCustomizer;
import io.outbox.spring.boot.OutboxProperties;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.springframework.beans.factory.ObjectProvider;

/** Makes the builder of the mode, with the properties and the optional beans. */
public final class OutboxBuilders {

  private static final Logger LOG = PrintableLogger.of(OutboxBuilders.class);

  /** What is left for listeners that do not come back, and for the last outcomes. */
  private static final Duration AFTER_DRAINING = Duration.ofSeconds(1);

  private static final String MISSING_LISTENER_GRACE = "dispatcher.missing-listener-grace";

  private final OutboxProperties properties;
  private final Extras extras;
  private final Duration shutdownPhase;
  private final boolean virtualThreads;

  /** Beans that an outbox can do without. */
  public record Extras(
      ObjectProvider<MetricsExporter> metrics,
      ObjectProvider<RetryPolicy> retryPolicy,
      ObjectProvider<EventInterceptor> interceptors,
      ObjectProvider<EventPurger> purger,
      ObjectProvider<OutboxBuilderCustomizer> customizers) {}

  /** {@code shutdownPhase}: how long Spring waits for a bean to stop. */
  public OutboxBuilders(
      OutboxProperties properties, Extras extras, Duration shutdownPhase, boolean virtualThreads) {
    this.properties = properties;
    this.extras = extras;
    this.shutdownPhase = shutdownPhase;
    this.virtualThreads = virtualThreads;
  }

  /** An outbox that is not started yet. */
  public Outbox build(
      ConnectionProvider connectionProvider,
      TxContext txContext,
      OutboxStore store,
      ListenerRegistry registry) {
    Outbox.AbstractBuilder<?> builder = builderOfTheMode();
    requireDeletes(store);
    requireSignals(store);
    builder
        .connectionProvider(connectionProvider)
        .txContext(txContext)
        .outboxStore(store)
        .listenerRegistry(registry);
    extras.customizers().orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.autoStart(false).build();
  }

  public Outbox.AbstractBuilder<?> builderOfTheMode() {
    Outbox.AbstractBuilder<?> builder =
        switch (properties.mode()) {
          case SINGLE_NODE -> delivering(Outbox.singleNode());
          case MULTI_NODE -> claiming(Outbox.multiNode());
          case ORDERED -> dispatching(Outbox.ordered());
          case ORDERED_BY_KEY -> orderedByKey(Outbox.orderedByKey());
          case WRITER_ONLY -> common(Outbox.writerOnly());
        };
    if (properties.mode() != OutboxProperties.Mode.MULTI_NODE
        && properties.claimLocking().enabled()) {
      LOG.log(
          Level.WARNING,
          "outbox.claim-locking.enabled has no effect in the mode "
              + kebab(properties.mode())
              + (properties.mode() == OutboxProperties.Mode.ORDERED_BY_KEY
                  ? ": nodes share keys instead"
                  : ": the outbox takes no leases, and only one process may deliver"));
    }
    return builder;
  }

  private void requireSignals(OutboxStore store) {
    if (properties.mode() == OutboxProperties.Mode.ORDERED_BY_KEY
        && Boolean.TRUE.equals(properties.orderedByKey().notifications())
        && store.lanes().flatMap(LaneStore::signals).isEmpty()) {
      throw new OutboxConfigurationException(
          "The property outbox.ordered-by-key.notifications is true, but the store "
              + store.getClass().getName()
              + " cannot send any: only PostgreSQL can.",
          "Remove outbox.ordered-by-key.notifications; events of other nodes are then looked for"
              + " ten times a second.");
    }
  }

  private void requireDeletes(OutboxStore store) {
    if (properties.deleteOnDone()
        && properties.mode() != OutboxProperties.Mode.WRITER_ONLY
        && !store.supportsDeletes()) {
      throw new OutboxConfigurationException(
          "The property outbox.delete-on-done is true, but the store "
              + store.getClass().getName()
              + " cannot delete.",
          "Let the store implement supportsDeletes and recordOutcomes, or keep delivered events:"
              + " outbox.delete-on-done=false.");
    }
  }

  private Outbox.MultiNodeBuilder claiming(Outbox.MultiNodeBuilder builder) {
    OutboxProperties.ClaimLocking claims = properties.claimLocking();
    if (!claims.enabled()) {
      throw new OutboxConfigurationException(
          "The property outbox.mode is multi-node, but outbox.claim-locking.enabled is not true:"
              + " without leases every node would deliver every event.",
          "Set outbox.claim-locking.enabled=true, and the same outbox.claim-locking.lock-timeout on"
              + " all nodes. If there is only one node, set outbox.mode=single-node.");
    }
    set("claim-locking.lock-timeout", claims.lockTimeout(), builder::claimLocking);
    set(
        "claim-locking.owner-id",
        claims.ownerId(),
        owner -> builder.claimLocking(owner, claims.lockTimeout()));
    Duration grace = properties.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    return delivering(builder);
  }

  private Outbox.OrderedByKeyBuilder orderedByKey(Outbox.OrderedByKeyBuilder builder) {
    if (properties.dispatcher().listenerTimeout() != null) {
      throw new OutboxConfigurationException(
          "The property outbox.dispatcher.listener-timeout is set, but outbox.mode is"
              + " ordered-by-key: a listener that does not yield to its timeout would overlap with"
              + " the next event of its key.",
          "Remove outbox.dispatcher.listener-timeout, and let the listener limit its own calls.");
    }
    OutboxProperties.OrderedByKey order = properties.orderedByKey();
    Duration grace = properties.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    set("ordered-by-key.lease", order.lease(), builder::laneLease);
    set("ordered-by-key.handover", order.handover(), builder::laneHandover);
    set("ordered-by-key.node", order.node(), builder::node);
    set("ordered-by-key.notifications", order.notifications(), builder::notifications);
    if (order.afterDead() == OutboxProperties.AfterDead.BLOCK) {
      builder.blockAfterDead();
    }
    return concurrent(builder);
  }

  private <B extends Outbox.DeliveringBuilder<B>> B delivering(B builder) {
    OutboxProperties.Dispatcher dispatcher = properties.dispatcher();
    set("dispatcher.listener-timeout", dispatcher.listenerTimeout(), builder::listenerTimeout);
    builder.checkRowsBeforeHotDelivery(dispatcher.checkRowsBeforeHotDelivery());
    return concurrent(builder);
  }

  private <B extends Outbox.ConcurrentBuilder<B>> B concurrent(B builder) {
    OutboxProperties.Dispatcher dispatcher = properties.dispatcher();
    set("dispatcher.worker-count", dispatcher.workerCount(), builder::workerCount);
    set("dispatcher.max-in-flight", dispatcher.maxInFlight(), builder::maxInFlight);
    set("dispatcher.hot-queue-capacity", dispatcher.hotQueueCapacity(), builder::hotQueueCapacity);
    set(
        "dispatcher.cold-queue-capacity",
        dispatcher.coldQueueCapacity(),
        builder::coldQueueCapacity);
    set(
        "dispatcher.max-queued-bytes",
        dispatcher.maxQueuedBytes().toBytes(),
        builder::maxQueuedBytes);
    set("retry.max-attempts", properties.retry().maxAttempts(), builder::maxAttempts);
    extras.retryPolicy().ifAvailable(builder::retryPolicy);
    return dispatching(builder);
  }

  private <B extends Outbox.DispatchingBuilder<B>> B dispatching(B builder) {
    set("retry.max-age", properties.retry().maxAge(), builder::maxAge);
    builder.deleteOnDone(properties.deleteOnDone()).virtualThreads(virtualThreads);
    return common(builder);
  }

  private <B extends Outbox.AbstractBuilder<B>> B common(B builder) {
    OutboxProperties.Poller poller = properties.poller();
    set("poller.interval-ms", poller.intervalMs(), builder::intervalMs);
    set("poller.batch-size", poller.batchSize(), builder::batchSize);
    set("poller.skip-recent-ms", Duration.ofMillis(poller.skipRecentMs()), builder::skipRecent);
    set("dispatcher.drain-timeout-ms", drainTimeoutMs(), builder::drainTimeoutMs);
    if (properties.purge().enabled()) {
      purge(builder);
    }
    extras.metrics().ifAvailable(builder::metrics);
    return builder.interceptors(extras.interceptors().orderedStream().toList());
  }

  private void purge(Outbox.AbstractBuilder<?> builder) {
    OutboxProperties.Purge purge = properties.purge();
    extras.purger().ifAvailable(builder::purger);
    set("purge.retention", purge.retention(), builder::purgeRetention);
    set("purge.batch-size", purge.batchSize(), builder::purgeBatchSize);
    set("purge.interval-seconds", purge.intervalSeconds(), builder::purgeIntervalSeconds);
  }

  /** Beyond its phase Spring goes on and destroys what the listeners need. */
  private long drainTimeoutMs() {
    long wanted = properties.dispatcher().drainTimeoutMs();
    long possible = Math.max(0, shutdownPhase.minus(AFTER_DRAINING).toMillis());
    if (wanted > possible) {
      LOG.log(
          Level.WARNING,
          "outbox.dispatcher.drain-timeout-ms is "
              + wanted
              + ", but spring.lifecycle.timeout-per-shutdown-phase is "
              + shutdownPhase.toMillis()
              + " ms: events will be drained for at most "
              + possible
              + " ms");
    }
    return Math.min(wanted, possible);
  }

  /** What is not set keeps the builder's default. */
  private static <T> void set(String property, T value, Consumer<T> setter) {
    if (value != null && !(value instanceof String text && text.isBlank())) {
      applying("outbox." + property, () -> setter.accept(value));
    }
  }

  public static void applying(String property, Runnable setting) {
    try {
      setting.run();
    } catch (IllegalArgumentException e) {
      throw invalid(property, e);
    }
  }

  public static OutboxConfigurationException invalid(String property, IllegalArgumentException e) {
    return new OutboxConfigurationException(
        "The property " + property + " cannot be used: " + e.getMessage() + ".",
        "Correct the value of " + property + ".",
        e);
  }

  private static String kebab(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
