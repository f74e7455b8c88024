package io.outbox.quarkus.runtime;

import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.quarkus.runtime.OutboxConfig.Mode;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Makes the builder of the mode, with the settings and the optional beans. */
public final class OutboxBuilders {

  private static final Logger LOG = PrintableLogger.of(OutboxBuilders.class);
  private static final String MISSING_LISTENER_GRACE = "dispatcher.missing-listener-grace";

  private final OutboxConfig config;
  private final Extras extras;

  /** Beans that an outbox can do without; {@code purger} is only asked for if one is wanted. */
  record Extras(
      Optional<MetricsExporter> metrics,
      Optional<RetryPolicy> retryPolicy,
      List<EventInterceptor> interceptors,
      Supplier<EventPurger> purger) {}

  OutboxBuilders(OutboxConfig config, Extras extras) {
    this.config = config;
    this.extras = extras;
  }

  Outbox.AbstractBuilder<?> builderOfTheMode() {
    if (config.mode() != Mode.MULTI_NODE && config.claimLocking().enabled()) {
      LOG.log(
          Level.WARNING,
          "quarkus.outbox.claim-locking.enabled has no effect in the mode "
              + Settings.kebab(config.mode()));
    }
    return switch (config.mode()) {
      case SINGLE_NODE -> delivering(Outbox.singleNode());
      case MULTI_NODE -> claiming(Outbox.multiNode());
      case ORDERED -> dispatching(Outbox.ordered());
      case ORDERED_BY_KEY -> orderedByKey(Outbox.orderedByKey());
      case WRITER_ONLY -> common(Outbox.writerOnly());
    };
  }

  private Outbox.MultiNodeBuilder claiming(Outbox.MultiNodeBuilder builder) {
    OutboxConfig.ClaimLocking claims = config.claimLocking();
    if (!claims.enabled()) {
      throw Settings.refused(
          "claim-locking.enabled",
          "quarkus.outbox.mode is multi-node, but quarkus.outbox.claim-locking.enabled is not true:"
              + " without leases every node would deliver every event. Set it to true, and the same"
              + " quarkus.outbox.claim-locking.lock-timeout on all nodes; for one node set"
              + " quarkus.outbox.mode=single-node");
    }
    set("claim-locking.lock-timeout", claims.lockTimeout(), builder::claimLocking);
    setIfThere(
        "claim-locking.owner-id",
        claims.ownerId(),
        owner -> builder.claimLocking(owner, claims.lockTimeout()));
    Duration grace = config.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    return delivering(builder);
  }

  private Outbox.OrderedByKeyBuilder orderedByKey(Outbox.OrderedByKeyBuilder builder) {
    if (config.dispatcher().listenerTimeout().isPresent()) {
      throw Settings.refused(
          "dispatcher.listener-timeout",
          "quarkus.outbox.dispatcher.listener-timeout is set, but quarkus.outbox.mode is"
              + " ordered-by-key: a listener that does not yield to its timeout would overlap with"
              + " the next event of its key. Remove it, and let the listener limit its own calls");
    }
    OutboxConfig.OrderedByKey order = config.orderedByKey();
    Duration grace = config.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    set("ordered-by-key.lease", order.lease(), builder::laneLease);
    set("ordered-by-key.handover", order.handover(), builder::laneHandover);
    setIfThere("ordered-by-key.node", order.node(), builder::node);
    setIfThere("ordered-by-key.notifications", order.notifications(), builder::notifications);
    if (order.afterDead() == OutboxConfig.AfterDead.BLOCK) {
      builder.blockAfterDead();
    }
    return concurrent(builder);
  }

  private <B extends Outbox.DeliveringBuilder<B>> B delivering(B builder) {
    OutboxConfig.Dispatcher dispatcher = config.dispatcher();
    setIfThere(
        "dispatcher.listener-timeout", dispatcher.listenerTimeout(), builder::listenerTimeout);
    builder.checkRowsBeforeHotDelivery(dispatcher.checkRowsBeforeHotDelivery());
    return concurrent(builder);
  }

  private <B extends Outbox.ConcurrentBuilder<B>> B concurrent(B builder) {
    OutboxConfig.Dispatcher dispatcher = config.dispatcher();
    set("dispatcher.worker-count", dispatcher.workerCount(), builder::workerCount);
    set("dispatcher.max-in-flight", dispatcher.maxInFlight(), builder::maxInFlight);
    set("dispatcher.hot-queue-capacity", dispatcher.hotQueueCapacity(), builder::hotQueueCapacity);
    set(
        "dispatcher.cold-queue-capacity",
        dispatcher.coldQueueCapacity(),
        builder::coldQueueCapacity);
    set(
        "dispatcher.max-queued-bytes",
        dispatcher.maxQueuedBytes().asLongValue(),
        builder::maxQueuedBytes);
    set("retry.max-attempts", config.retry().maxAttempts(), builder::maxAttempts);
    builder.retryPolicy(extras.retryPolicy().orElseGet(this::backoff));
    return dispatching(builder);
  }

  private RetryPolicy backoff() {
    OutboxConfig.Retry retry = config.retry();
    try {
      return new ExponentialBackoffRetryPolicy(retry.baseDelayMs(), retry.maxDelayMs());
    } catch (IllegalArgumentException e) {
      throw Settings.invalid(
          retry.baseDelayMs() < 1 ? "retry.base-delay-ms" : "retry.max-delay-ms", e);
    }
  }

  private <B extends Outbox.DispatchingBuilder<B>> B dispatching(B builder) {
    setIfThere("retry.max-age", config.retry().maxAge(), builder::maxAge);
    builder.deleteOnDone(config.deleteOnDone()).virtualThreads(config.virtualThreads());
    return common(builder);
  }

  private <B extends Outbox.AbstractBuilder<B>> B common(B builder) {
    OutboxConfig.Poller poller = config.poller();
    set("poller.interval-ms", poller.intervalMs(), builder::intervalMs);
    set("poller.batch-size", poller.batchSize(), builder::batchSize);
    set("poller.skip-recent-ms", Duration.ofMillis(poller.skipRecentMs()), builder::skipRecent);
    set(
        "dispatcher.drain-timeout-ms",
        config.dispatcher().drainTimeoutMs(),
        builder::drainTimeoutMs);
    if (config.purge().enabled()) {
      purge(builder);
    }
    extras.metrics().ifPresent(builder::metrics);
    return builder.interceptors(extras.interceptors());
  }

  private void purge(Outbox.AbstractBuilder<?> builder) {
    OutboxConfig.Purge purge = config.purge();
    builder.purger(extras.purger().get());
    set("purge.retention", purge.retention(), builder::purgeRetention);
    set("purge.batch-size", purge.batchSize(), builder::purgeBatchSize);
    set("purge.interval-seconds", purge.intervalSeconds(), builder::purgeIntervalSeconds);
  }

  /** What is not set keeps the builder's default. */
  private static <T> void setIfThere(String name, Optional<T> value, Consumer<T> setter) {
    value.ifPresent(present -> set(name, present, setter));
  }

  private static <T> void set(String name, T value, Consumer<T> setter) {
    try {
      setter.accept(value);
    } catch (IllegalArgumentException e) {
      throw Settings.invalid(name, e);
    }
  }
}
