package io.outbox.quarkus.runtime;

import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jta.JtaTxContext;
import io.outbox.operate.OutboxOperator;
import io.outbox.quarkus.OutboxBuilderCustomizer;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.EventPurger;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.wiring.DefaultCodec;
import io.outbox.wiring.OutboxBuilders;
import io.outbox.wiring.OutboxTable;
import io.outbox.wiring.Settings;
import io.quarkus.arc.All;
import io.quarkus.arc.DefaultBean;
import io.quarkus.arc.InjectableInstance;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The beans of an outbox. An application's own bean replaces each of them. */
@Singleton
public class OutboxBeans {

  private static final String FLYWAY =
      "quarkus.flyway.locations=db/migration,schema/outbox-flyway/postgresql";

  private final OutboxConfig config;
  private final OutboxDataSource dataSource;

  OutboxBeans(OutboxConfig config, OutboxDataSource dataSource) {
    this.config = config;
    this.dataSource = dataSource;
  }

  @Produces
  @Singleton
  Settings settings() {
    return Refusals.translated(() -> QuarkusSettings.of(config));
  }

  /** Until the last bean is gone: events may be written while the application stops. */
  @Produces
  @Singleton
  DefaultCodec defaultCodec(JsonCodec codec) {
    return new DefaultCodec(codec);
  }

  void close(@Disposes DefaultCodec codec) {
    codec.close();
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
  OutboxStore store(Settings settings) {
    return Refusals.translated(() -> new OutboxTable(dataSource.get(), settings, FLYWAY).open());
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
      Settings settings,
      InjectableInstance<MetricsExporter> metrics,
      InjectableInstance<RetryPolicy> retryPolicy,
      @All List<EventInterceptor> interceptors,
      InjectableInstance<EventPurger> purger,
      @All List<OutboxBuilderCustomizer> customizers) {
    Stream<Consumer<Outbox.AbstractBuilder<?>>> customizing =
        customizers.stream().map(customizer -> customizer::customize);
    return new OutboxBuilders(
        settings,
        new OutboxBuilders.Extras(
            ifThere(metrics, MetricsExporter.class),
            () -> ifThere(retryPolicy, RetryPolicy.class),
            interceptors,
            () -> ifThere(purger, EventPurger.class),
            customizing.toList()));
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
      DefaultListenerRegistry registry) {
    return Refusals.translated(
        () -> builders.build(connectionProvider, txContext, store, registry));
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
