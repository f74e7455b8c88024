package io.outbox.quarkus.runtime;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jta.JtaTxContext;
import io.outbox.operate.OutboxOperator;
import io.outbox.quarkus.OutboxBuilderCustomizer;
import io.outbox.quarkus.runtime.OutboxConfig.Mode;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.quarkus.arc.All;
import io.quarkus.arc.DefaultBean;
import io.quarkus.arc.InjectableInstance;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** The beans of an outbox. An application's own bean replaces each of them. */
@Singleton
public class OutboxBeans {

  private final OutboxConfig config;
  private final OutboxDataSource dataSource;

  OutboxBeans(OutboxConfig config, OutboxDataSource dataSource) {
    this.config = config;
    this.dataSource = dataSource;
  }

  @Produces
  @Singleton
  @DefaultBean
  ConnectionProvider connectionProvider() {
    return new DataSourceConnectionProvider(dataSource.get());
  }

  @Produces
  @Singleton
  @DefaultBean
  TxContext txContext(TransactionSynchronizationRegistry registry) {
    return new JtaTxContext(registry, dataSource.get());
  }

  @Produces
  @Singleton
  @DefaultBean
  OutboxStore store() {
    return new OutboxTable(dataSource.get(), config).open();
  }

  @Produces
  @Singleton
  @DefaultBean
  DefaultListenerRegistry listenerRegistry() {
    return new DefaultListenerRegistry();
  }

  @Produces
  @Singleton
  @DefaultBean
  OutboxBuilders builders(
      InjectableInstance<MetricsExporter> metrics,
      InjectableInstance<RetryPolicy> retryPolicy,
      @All List<EventInterceptor> interceptors,
      InjectableInstance<EventPurger> purger,
      Instance<OutboxStore> store) {
    return new OutboxBuilders(
        config,
        new OutboxBuilders.Extras(
            ifThere(metrics, MetricsExporter.class),
            ifThere(retryPolicy, RetryPolicy.class),
            interceptors,
            () ->
                ifThere(purger, EventPurger.class)
                    .orElseGet(() -> Purgers.of(store.get(), config.mode() == Mode.WRITER_ONLY))));
  }

  private static <T> Optional<T> ifThere(InjectableInstance<T> bean, Class<T> type) {
    if (bean.isAmbiguous()) {
      throw new IllegalStateException(
          "The outbox takes one "
              + type.getSimpleName()
              + ", but there are several beans, in: "
              + bean.handlesStream()
                  .map(handle -> handle.getBean().getBeanClass().getName())
                  .collect(Collectors.joining(", "))
              + ". Remove all but one of them, or make one an @Alternative with a @Priority");
    }
    return bean.isUnsatisfied() ? Optional.empty() : Optional.of(bean.get());
  }

  /** Not started yet: {@link OutboxLifecycle} does that when every listener is registered. */
  @Produces
  @Singleton
  @DefaultBean
  Outbox outbox(
      OutboxBuilders builders,
      ConnectionProvider connectionProvider,
      TxContext txContext,
      OutboxStore store,
      DefaultListenerRegistry registry,
      @All List<OutboxBuilderCustomizer> customizers) {
    Outbox.AbstractBuilder<?> builder = builders.builderOfTheMode();
    builder
        .connectionProvider(connectionProvider)
        .txContext(txContext)
        .outboxStore(store)
        .listenerRegistry(registry);
    customizers.forEach(customizer -> customizer.customize(builder));
    return builder.autoStart(false).build();
  }

  void close(@Disposes Outbox outbox) {
    outbox.close();
  }

  @Produces
  @Singleton
  @DefaultBean
  OutboxWriter writer(Outbox outbox) {
    return outbox.writer();
  }

  @Produces
  @Singleton
  @DefaultBean
  OutboxOperator operator(ConnectionProvider connectionProvider, OutboxStore store) {
    return OutboxOperator.of(connectionProvider, store);
  }
}
