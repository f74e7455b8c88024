package io.outbox.quarkus.runtime;

import io.agroal.api.AgroalDataSource;
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
import io.quarkus.agroal.runtime.AgroalDataSourceUtil;
import io.quarkus.arc.All;
import io.quarkus.arc.DefaultBean;
import io.quarkus.datasource.common.runtime.DataSourceUtil;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Instance;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import java.util.Optional;

/** The beans of an outbox. An application's own bean replaces each of them. */
@Singleton
public class OutboxBeans {

  private final OutboxConfig config;
  private final String dataSource;

  OutboxBeans(OutboxConfig config, OutboxBuildConfig fixed) {
    this.config = config;
    this.dataSource = fixed.datasource().orElse(DataSourceUtil.DEFAULT_DATASOURCE_NAME);
  }

  private AgroalDataSource dataSource() {
    return AgroalDataSourceUtil.dataSourceInstance(dataSource).get();
  }

  @Produces
  @Singleton
  @DefaultBean
  ConnectionProvider connectionProvider() {
    return new DataSourceConnectionProvider(dataSource());
  }

  @Produces
  @Singleton
  @DefaultBean
  TxContext txContext(TransactionSynchronizationRegistry registry) {
    return new JtaTxContext(registry, dataSource());
  }

  @Produces
  @Singleton
  @DefaultBean
  OutboxStore store() {
    return new OutboxTable(dataSource(), config).open();
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
      Instance<MetricsExporter> metrics,
      Instance<RetryPolicy> retryPolicy,
      @All List<EventInterceptor> interceptors,
      Instance<EventPurger> purger,
      Instance<OutboxStore> store) {
    return new OutboxBuilders(
        config,
        new OutboxBuilders.Extras(
            ifThere(metrics),
            ifThere(retryPolicy),
            interceptors,
            () ->
                ifThere(purger)
                    .orElseGet(() -> Purgers.of(store.get(), config.mode() == Mode.WRITER_ONLY))));
  }

  private static <T> Optional<T> ifThere(Instance<T> bean) {
    return bean.isResolvable() ? Optional.of(bean.get()) : Optional.empty();
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
