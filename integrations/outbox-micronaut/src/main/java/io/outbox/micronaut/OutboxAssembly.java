package io.outbox.micronaut;

import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.micronaut.OutboxConfiguration.Mode;
import io.outbox.registry.ListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.spi.lanes.LaneStore;
import jakarta.inject.Singleton;
import java.util.List;

/** Puts an outbox together from the properties and the beans it can do without. */
@Singleton
final class OutboxAssembly {

  private final OutboxConfiguration configuration;
  private final ChosenBeans beans;
  private final List<EventInterceptor> interceptors;
  private final List<OutboxBuilderCustomizer> customizers;

  /** {@code codec}: it is the default before the first event can be written. */
  OutboxAssembly(
      OutboxConfiguration configuration,
      ChosenBeans beans,
      List<EventInterceptor> interceptors,
      List<OutboxBuilderCustomizer> customizers,
      DefaultCodec codec) {
    this.configuration = configuration;
    this.beans = beans;
    this.interceptors = interceptors;
    this.customizers = customizers;
  }

  /** An outbox that is not started yet. */
  Outbox build() {
    OutboxStore store = beans.get(OutboxStore.class);
    requireDeletes(store);
    requireSignals(store);
    Outbox.AbstractBuilder<?> builder = new OutboxBuilders(configuration).builderOfTheMode();
    builder
        .connectionProvider(beans.get(ConnectionProvider.class))
        .txContext(beans.get(TxContext.class))
        .outboxStore(store)
        .listenerRegistry(beans.get(ListenerRegistry.class))
        .interceptors(interceptors);
    beans.find(MetricsExporter.class).ifPresent(builder::metrics);
    if (builder instanceof Outbox.ConcurrentBuilder<?> concurrent) {
      beans.find(RetryPolicy.class).ifPresent(concurrent::retryPolicy);
    }
    if (configuration.purge().enabled()) {
      boolean byAge = configuration.mode() == Mode.WRITER_ONLY;
      builder.purger(beans.find(EventPurger.class).orElseGet(() -> Purgers.of(store, byAge)));
    }
    customizers.forEach(customizer -> customizer.customize(builder));
    return builder.autoStart(false).build();
  }

  private void requireDeletes(OutboxStore store) {
    if (configuration.deleteOnDone()
        && configuration.mode() != Mode.WRITER_ONLY
        && !store.supportsDeletes()) {
      throw Problem.of(
          "The property outbox.delete-on-done is true, but the store "
              + store.getClass().getName()
              + " cannot delete.",
          "Let the store implement supportsDeletes and recordOutcomes, or keep delivered events:"
              + " outbox.delete-on-done=false");
    }
  }

  private void requireSignals(OutboxStore store) {
    if (configuration.mode() == Mode.ORDERED_BY_KEY
        && Boolean.TRUE.equals(configuration.orderedByKey().notifications())
        && store.lanes().flatMap(LaneStore::signals).isEmpty()) {
      throw Problem.of(
          "The property outbox.ordered-by-key.notifications is true, but the store "
              + store.getClass().getName()
              + " cannot send any: only PostgreSQL can.",
          "Remove outbox.ordered-by-key.notifications; events of other nodes are then looked for"
              + " ten times a second.");
    }
  }
}
