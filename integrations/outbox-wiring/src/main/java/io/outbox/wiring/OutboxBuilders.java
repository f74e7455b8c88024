package io.outbox.wiring;

import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.ExponentialBackoffRetryPolicy;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.wiring.Settings.AfterDead;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Makes the builder of the mode, with the settings and the optional beans. */
public final class OutboxBuilders {

  private static final String MISSING_LISTENER_GRACE = "dispatcher.missing-listener-grace";

  private final Settings settings;
  private final Extras extras;

  /**
   * Beans that an outbox can do without; some are only asked for if they are needed.
   *
   * @param customizers the last to change the builder, in their order
   */
  public record Extras(
      Optional<MetricsExporter> metrics,
      Supplier<Optional<RetryPolicy>> retryPolicy,
      List<EventInterceptor> interceptors,
      Supplier<Optional<EventPurger>> purger,
      List<Consumer<Outbox.AbstractBuilder<?>>> customizers) {

    /** Checks that none is null. */
    public Extras {
      Objects.requireNonNull(metrics, "metrics");
      Objects.requireNonNull(retryPolicy, "retryPolicy");
      interceptors = List.copyOf(Objects.requireNonNull(interceptors, "interceptors"));
      Objects.requireNonNull(purger, "purger");
      customizers = List.copyOf(Objects.requireNonNull(customizers, "customizers"));
    }
  }

  /** Makes outboxes with these settings and beans. */
  public OutboxBuilders(Settings settings, Extras extras) {
    this.settings = Objects.requireNonNull(settings, "settings");
    this.extras = Objects.requireNonNull(extras, "extras");
  }

  /**
   * An outbox that is not started yet.
   *
   * @throws OutboxConfigurationException if a setting cannot be used, or does not go with another
   *     one or with the store
   */
  public Outbox build(
      ConnectionProvider connectionProvider,
      TxContext txContext,
      OutboxStore store,
      ListenerRegistry registry) {
    new SettingChecks(settings).require(store);
    Outbox.AbstractBuilder<?> builder = builderOfTheMode();
    builder
        .connectionProvider(connectionProvider)
        .txContext(txContext)
        .outboxStore(store)
        .listenerRegistry(registry);
    if (settings.purge().enabled()) {
      builder.purger(extras.purger().get().orElseGet(() -> Purgers.of(store, settings)));
    }
    extras.customizers().forEach(customizer -> customizer.accept(builder));
    return builder.autoStart(false).build();
  }

  /** With everything that needs no store. */
  Outbox.AbstractBuilder<?> builderOfTheMode() {
    new SettingChecks(settings).require();
    return switch (settings.mode()) {
      case SINGLE_NODE -> delivering(Outbox.singleNode());
      case MULTI_NODE -> claiming(Outbox.multiNode());
      case ORDERED -> dispatching(Outbox.ordered());
      case ORDERED_BY_KEY -> orderedByKey(Outbox.orderedByKey());
      case WRITER_ONLY -> common(Outbox.writerOnly());
    };
  }

  private Outbox.MultiNodeBuilder claiming(Outbox.MultiNodeBuilder builder) {
    Settings.ClaimLocking claims = settings.claimLocking();
    set("claim-locking.lock-timeout", claims.lockTimeout(), builder::claimLocking);
    set(
        "claim-locking.owner-id",
        claims.ownerId(),
        owner -> builder.claimLocking(owner, claims.lockTimeout()));
    Duration grace = settings.dispatcher().missingListenerGrace();
    set(MISSING_LISTENER_GRACE, grace, builder::missingListenerGrace);
    return delivering(builder);
  }

  private Outbox.OrderedByKeyBuilder orderedByKey(Outbox.OrderedByKeyBuilder builder) {
    Settings.OrderedByKey order = settings.orderedByKey();
    Duration grace = settings.dispatcher().missingListenerGrace();
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
    Settings.Dispatcher dispatcher = settings.dispatcher();
    set("dispatcher.listener-timeout", dispatcher.listenerTimeout(), builder::listenerTimeout);
    return concurrent(builder);
  }

  private <B extends Outbox.ConcurrentBuilder<B>> B concurrent(B builder) {
    Settings.Dispatcher dispatcher = settings.dispatcher();
    set("dispatcher.worker-count", dispatcher.workerCount(), builder::workerCount);
    set("dispatcher.max-in-flight", dispatcher.maxInFlight(), builder::maxInFlight);
    set("dispatcher.hot-queue-capacity", dispatcher.hotQueueCapacity(), builder::hotQueueCapacity);
    set(
        "dispatcher.cold-queue-capacity",
        dispatcher.coldQueueCapacity(),
        builder::coldQueueCapacity);
    set("dispatcher.max-queued-bytes", dispatcher.maxQueuedBytes(), builder::maxQueuedBytes);
    builder.checkRowsBeforeHotDelivery(dispatcher.checkRowsBeforeHotDelivery());
    set("retry.max-attempts", settings.retry().maxAttempts(), builder::maxAttempts);
    builder.retryPolicy(extras.retryPolicy().get().orElseGet(() -> backoff(settings)));
    return dispatching(builder);
  }

  /**
   * The retries of these settings.
   *
   * @throws OutboxConfigurationException if there cannot be such delays
   */
  public static RetryPolicy backoff(Settings settings) {
    Settings.Retry retry = settings.retry();
    try {
      return new ExponentialBackoffRetryPolicy(retry.baseDelayMs(), retry.maxDelayMs());
    } catch (IllegalArgumentException e) {
      String wrong = retry.baseDelayMs() < 1 ? "retry.base-delay-ms" : "retry.max-delay-ms";
      throw Property.invalid(settings.name(wrong), e);
    }
  }

  private <B extends Outbox.DispatchingBuilder<B>> B dispatching(B builder) {
    set("retry.max-age", settings.retry().maxAge(), builder::maxAge);
    builder.deleteOnDone(settings.deleteOnDone()).virtualThreads(settings.virtualThreads());
    return common(builder);
  }

  private <B extends Outbox.AbstractBuilder<B>> B common(B builder) {
    Settings.Poller poller = settings.poller();
    set("poller.interval-ms", poller.intervalMs(), builder::intervalMs);
    set("poller.batch-size", poller.batchSize(), builder::batchSize);
    set("poller.skip-recent-ms", Duration.ofMillis(poller.skipRecentMs()), builder::skipRecent);
    set(
        "dispatcher.drain-timeout-ms",
        settings.dispatcher().drainTimeoutMs(),
        builder::drainTimeoutMs);
    Settings.Purge purge = settings.purge();
    if (purge.enabled()) {
      set("purge.retention", purge.retention(), builder::purgeRetention);
      set("purge.batch-size", purge.batchSize(), builder::purgeBatchSize);
      set("purge.interval-seconds", purge.intervalSeconds(), builder::purgeIntervalSeconds);
    }
    extras.metrics().ifPresent(builder::metrics);
    return builder.interceptors(extras.interceptors());
  }

  private <T> void set(String name, T value, Consumer<T> setter) {
    Property.set(settings.name(name), value, setter);
  }
}
