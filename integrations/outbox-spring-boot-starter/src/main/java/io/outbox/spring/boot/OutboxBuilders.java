package io.outbox.spring.boot;

import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.LaneStore;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Locale;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.util.StringUtils;

/** Makes the builder of the mode, with the properties and the optional beans. */
final class OutboxBuilders {

  private static final Logger LOG = PrintableLogger.of(OutboxBuilders.class);

  /** What is left for listeners that do not come back, and for the last outcomes. */
  private static final Duration AFTER_DRAINING = Duration.ofSeconds(1);

  private static final String MISSING_LISTENER_GRACE = "outbox.dispatcher.missing-listener-grace";

  private final OutboxProperties properties;
  private final Extras extras;
  private final Duration shutdownPhase;
  private final boolean virtualThreads;

  /** Beans that an outbox can do without. */
  record Extras(
      ObjectProvider<MetricsExporter> metrics,
      ObjectProvider<RetryPolicy> retryPolicy,
      ObjectProvider<EventInterceptor> interceptors,
      ObjectProvider<EventPurger> purger,
      ObjectProvider<OutboxBuilderCustomizer> customizers) {}

  /** {@code shutdownPhase}: how long Spring waits for a bean to stop. */
  OutboxBuilders(
      OutboxProperties properties, Extras extras, Duration shutdownPhase, boolean virtualThreads) {
    this.properties = properties;
    this.extras = extras;
    this.shutdownPhase = shutdownPhase;
    this.virtualThreads = virtualThreads;
  }

  /** An outbox that is not started yet. */
  Outbox build(
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

  private Outbox.AbstractBuilder<?> builderOfTheMode() {
    Outbox.AbstractBuilder<?> builder =
        switch (properties.getMode()) {
          case SINGLE_NODE -> delivering(Outbox.singleNode());
          case MULTI_NODE -> claiming(Outbox.multiNode());
          case ORDERED -> common(Outbox.ordered());
          case ORDERED_BY_KEY -> orderedByKey(Outbox.orderedByKey());
          case WRITER_ONLY -> common(Outbox.writerOnly());
        };
    if (properties.getMode() != OutboxProperties.Mode.MULTI_NODE
        && properties.getClaimLocking().isEnabled()) {
      LOG.log(
          Level.WARNING,
          "outbox.claim-locking.enabled has no effect in the mode "
              + kebab(properties.getMode())
              + (properties.getMode() == OutboxProperties.Mode.ORDERED_BY_KEY
                  ? ": nodes share keys instead"
                  : ": the outbox takes no leases, and only one process may deliver"));
    }
    return builder;
  }

  private void requireSignals(OutboxStore store) {
    if (properties.getMode() == OutboxProperties.Mode.ORDERED_BY_KEY
        && Boolean.TRUE.equals(properties.getOrderedByKey().getNotifications())
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
    if (properties.isDeleteOnDone()
        && properties.getMode() != OutboxProperties.Mode.WRITER_ONLY
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
    OutboxProperties.ClaimLocking claims = properties.getClaimLocking();
    if (!claims.isEnabled()) {
      throw new OutboxConfigurationException(
          "The property outbox.mode is multi-node, but outbox.claim-locking.enabled is not true:"
              + " without leases every node would deliver every event.",
          "Set outbox.claim-locking.enabled=true, and the same outbox.claim-locking.lock-timeout on"
              + " all nodes. If there is only one node, set outbox.mode=single-node.");
    }
    applying(
        "outbox.claim-locking.lock-timeout", () -> builder.claimLocking(claims.getLockTimeout()));
    if (StringUtils.hasText(claims.getOwnerId())) {
      applying(
          "outbox.claim-locking.owner-id",
          () -> builder.claimLocking(claims.getOwnerId(), claims.getLockTimeout()));
    }
    Duration grace = properties.getDispatcher().getMissingListenerGrace();
    applying(MISSING_LISTENER_GRACE, () -> builder.missingListenerGrace(grace));
    return delivering(builder);
  }

  private Outbox.OrderedByKeyBuilder orderedByKey(Outbox.OrderedByKeyBuilder builder) {
    if (properties.getDispatcher().getListenerTimeout() != null) {
      throw new OutboxConfigurationException(
          "The property outbox.dispatcher.listener-timeout is set, but outbox.mode is"
              + " ordered-by-key: a listener that does not yield to its timeout would overlap with"
              + " the next event of its key.",
          "Remove outbox.dispatcher.listener-timeout, and let the listener limit its own calls.");
    }
    OutboxProperties.OrderedByKey order = properties.getOrderedByKey();
    Duration grace = properties.getDispatcher().getMissingListenerGrace();
    applying(MISSING_LISTENER_GRACE, () -> builder.missingListenerGrace(grace));
    applying("outbox.ordered-by-key.lease", () -> builder.laneLease(order.getLease()));
    applying("outbox.ordered-by-key.handover", () -> builder.laneHandover(order.getHandover()));
    if (StringUtils.hasText(order.getNode())) {
      applying("outbox.ordered-by-key.node", () -> builder.node(order.getNode()));
    }
    if (order.getNotifications() != null) {
      builder.notifications(order.getNotifications());
    }
    if (order.getAfterDead() == OutboxProperties.AfterDead.BLOCK) {
      builder.blockAfterDead();
    }
    return concurrent(builder);
  }

  private <B extends Outbox.DeliveringBuilder<B>> B delivering(B builder) {
    OutboxProperties.Dispatcher dispatcher = properties.getDispatcher();
    if (dispatcher.getListenerTimeout() != null) {
      applying(
          "outbox.dispatcher.listener-timeout",
          () -> builder.listenerTimeout(dispatcher.getListenerTimeout()));
    }
    builder.checkRowsBeforeHotDelivery(dispatcher.isCheckRowsBeforeHotDelivery());
    return concurrent(builder);
  }

  private <B extends Outbox.ConcurrentBuilder<B>> B concurrent(B builder) {
    OutboxProperties.Dispatcher dispatcher = properties.getDispatcher();
    String prefix = "outbox.dispatcher.";
    applying(prefix + "worker-count", () -> builder.workerCount(dispatcher.getWorkerCount()));
    applying(prefix + "max-in-flight", () -> builder.maxInFlight(dispatcher.getMaxInFlight()));
    applying(
        prefix + "hot-queue-capacity",
        () -> builder.hotQueueCapacity(dispatcher.getHotQueueCapacity()));
    applying(
        prefix + "cold-queue-capacity",
        () -> builder.coldQueueCapacity(dispatcher.getColdQueueCapacity()));
    applying(
        prefix + "max-queued-bytes",
        () -> builder.maxQueuedBytes(dispatcher.getMaxQueuedBytes().toBytes()));
    applying(
        "outbox.retry.max-attempts",
        () -> builder.maxAttempts(properties.getRetry().getMaxAttempts()));
    extras.retryPolicy().ifAvailable(builder::retryPolicy);
    return common(builder);
  }

  private <B extends Outbox.AbstractBuilder<B>> B common(B builder) {
    OutboxProperties.Poller poller = properties.getPoller();
    applying("outbox.poller.interval-ms", () -> builder.intervalMs(poller.getIntervalMs()));
    applying("outbox.poller.batch-size", () -> builder.batchSize(poller.getBatchSize()));
    applying(
        "outbox.poller.skip-recent-ms",
        () -> builder.skipRecent(Duration.ofMillis(poller.getSkipRecentMs())));
    applying("outbox.dispatcher.drain-timeout-ms", () -> builder.drainTimeoutMs(drainTimeoutMs()));
    if (properties.getRetry().getMaxAge() != null) {
      applying("outbox.retry.max-age", () -> builder.maxAge(properties.getRetry().getMaxAge()));
    }
    builder.deleteOnDone(properties.isDeleteOnDone()).virtualThreads(virtualThreads);
    if (properties.getPurge().isEnabled()) {
      purge(builder);
    }
    extras.metrics().ifAvailable(builder::metrics);
    return builder.interceptors(extras.interceptors().orderedStream().toList());
  }

  private void purge(Outbox.AbstractBuilder<?> builder) {
    OutboxProperties.Purge purge = properties.getPurge();
    extras.purger().ifAvailable(builder::purger);
    applying("outbox.purge.retention", () -> builder.purgeRetention(purge.getRetention()));
    applying("outbox.purge.batch-size", () -> builder.purgeBatchSize(purge.getBatchSize()));
    applying(
        "outbox.purge.interval-seconds",
        () -> builder.purgeIntervalSeconds(purge.getIntervalSeconds()));
  }

  /** Beyond its phase Spring goes on and destroys what the listeners need. */
  private long drainTimeoutMs() {
    long wanted = properties.getDispatcher().getDrainTimeoutMs();
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

  static void applying(String property, Runnable setting) {
    try {
      setting.run();
    } catch (IllegalArgumentException e) {
      throw invalid(property, e);
    }
  }

  static OutboxConfigurationException invalid(String property, IllegalArgumentException e) {
    return new OutboxConfigurationException(
        "The property " + property + " cannot be used: " + e.getMessage() + ".",
        "Correct the value of " + property + ".",
        e);
  }

  private static String kebab(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
