package io.outbox.micronaut;

import static io.outbox.micronaut.Problem.set;

import io.outbox.Outbox;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.micronaut.OutboxConfiguration.AfterDead;
import io.outbox.micronaut.OutboxConfiguration.ClaimLocking;
import io.outbox.micronaut.OutboxConfiguration.Dispatcher;
import io.outbox.micronaut.OutboxConfiguration.Mode;
import io.outbox.micronaut.OutboxConfiguration.OrderedByKey;
import io.outbox.micronaut.OutboxConfiguration.Poller;
import io.outbox.micronaut.OutboxConfiguration.Purge;
import io.outbox.micronaut.OutboxConfiguration.Retry;
import io.outbox.util.PrintableLogger;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;

/** Makes the builder of the mode, with the properties. */
final class OutboxBuilders {

  private static final Logger LOG = PrintableLogger.of(OutboxBuilders.class);
  private static final String MISSING_LISTENER_GRACE = "dispatcher.missing-listener-grace";
  private static final int VIRTUAL_THREADS_SINCE = 21;

  private final OutboxConfiguration configuration;

  OutboxBuilders(OutboxConfiguration configuration) {
    this.configuration = configuration;
  }

  Outbox.AbstractBuilder<?> builderOfTheMode() {
    if (configuration.mode() != Mode.MULTI_NODE && configuration.claimLocking().enabled()) {
      LOG.log(
          Level.WARNING,
          "outbox.claim-locking.enabled has an effect only in the mode multi-node, and this is "
              + configuration.mode());
    }
    return switch (configuration.mode()) {
      case SINGLE_NODE -> delivering(Outbox.singleNode());
      case MULTI_NODE -> claiming(Outbox.multiNode());
      case ORDERED -> dispatching(Outbox.ordered());
      case ORDERED_BY_KEY -> orderedByKey(Outbox.orderedByKey());
      case WRITER_ONLY -> common(Outbox.writerOnly());
    };
  }

  private Outbox.MultiNodeBuilder claiming(Outbox.MultiNodeBuilder builder) {
    ClaimLocking claims = configuration.claimLocking();
    if (!claims.enabled()) {
      throw Problem.of(
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
    Duration grace = configuration.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    return delivering(builder);
  }

  private Outbox.OrderedByKeyBuilder orderedByKey(Outbox.OrderedByKeyBuilder builder) {
    if (configuration.dispatcher().listenerTimeout() != null) {
      throw Problem.of(
          "The property outbox.dispatcher.listener-timeout is set, but outbox.mode is"
              + " ordered-by-key: a listener that does not yield to its timeout would overlap with"
              + " the next event of its key.",
          "Remove outbox.dispatcher.listener-timeout, and let the listener limit its own calls.");
    }
    OrderedByKey order = configuration.orderedByKey();
    Duration grace = configuration.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    set("ordered-by-key.lease", order.lease(), builder::laneLease);
    set("ordered-by-key.handover", order.handover(), builder::laneHandover);
    set("ordered-by-key.node", order.node(), builder::node);
    set("ordered-by-key.notifications", order.notifications(), builder::notifications);
    if (order.afterDead() == AfterDead.BLOCK) {
      builder.blockAfterDead();
    }
    return concurrent(builder);
  }

  private <B extends Outbox.DeliveringBuilder<B>> B delivering(B builder) {
    Dispatcher dispatcher = configuration.dispatcher();
    set("dispatcher.listener-timeout", dispatcher.listenerTimeout(), builder::listenerTimeout);
    builder.checkRowsBeforeHotDelivery(dispatcher.checkRowsBeforeHotDelivery());
    return concurrent(builder);
  }

  private <B extends Outbox.ConcurrentBuilder<B>> B concurrent(B builder) {
    Dispatcher dispatcher = configuration.dispatcher();
    set("dispatcher.worker-count", dispatcher.workerCount(), builder::workerCount);
    set("dispatcher.max-in-flight", dispatcher.maxInFlight(), builder::maxInFlight);
    set("dispatcher.hot-queue-capacity", dispatcher.hotQueueCapacity(), builder::hotQueueCapacity);
    set(
        "dispatcher.cold-queue-capacity",
        dispatcher.coldQueueCapacity(),
        builder::coldQueueCapacity);
    set("dispatcher.max-queued-bytes", dispatcher.maxQueuedBytes(), builder::maxQueuedBytes);
    set("retry.max-attempts", configuration.retry().maxAttempts(), builder::maxAttempts);
    builder.retryPolicy(retryPolicy());
    return dispatching(builder);
  }

  private RetryPolicy retryPolicy() {
    Retry retry = configuration.retry();
    try {
      return new ExponentialBackoffRetryPolicy(retry.baseDelayMs(), retry.maxDelayMs());
    } catch (IllegalArgumentException e) {
      throw Problem.invalid(
          retry.baseDelayMs() < 1 ? "retry.base-delay-ms" : "retry.max-delay-ms", e);
    }
  }

  private <B extends Outbox.DispatchingBuilder<B>> B dispatching(B builder) {
    set("retry.max-age", configuration.retry().maxAge(), builder::maxAge);
    builder.deleteOnDone(configuration.deleteOnDone()).virtualThreads(virtualThreads());
    return common(builder);
  }

  private boolean virtualThreads() {
    int java = Runtime.version().feature();
    if (configuration.virtualThreads() && java < VIRTUAL_THREADS_SINCE) {
      throw Problem.of(
          "The property outbox.virtual-threads is true, but this is Java " + java + ".",
          "Run the application on Java 21 or later, or remove outbox.virtual-threads and set a"
              + " higher outbox.dispatcher.worker-count.");
    }
    return configuration.virtualThreads();
  }

  private <B extends Outbox.AbstractBuilder<B>> B common(B builder) {
    Poller poller = configuration.poller();
    set("poller.interval-ms", poller.intervalMs(), builder::intervalMs);
    set("poller.batch-size", poller.batchSize(), builder::batchSize);
    set("poller.skip-recent-ms", Duration.ofMillis(poller.skipRecentMs()), builder::skipRecent);
    set(
        "dispatcher.drain-timeout-ms",
        configuration.dispatcher().drainTimeoutMs(),
        builder::drainTimeoutMs);
    Purge purge = configuration.purge();
    if (purge.enabled()) {
      set("purge.retention", purge.retention(), builder::purgeRetention);
      set("purge.batch-size", purge.batchSize(), builder::purgeBatchSize);
      set("purge.interval-seconds", purge.intervalSeconds(), builder::purgeIntervalSeconds);
    }
    return builder;
  }
}
