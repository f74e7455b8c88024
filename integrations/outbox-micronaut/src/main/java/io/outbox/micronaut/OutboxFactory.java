package io.outbox.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Secondary;
import io.micronaut.context.env.Environment;
import io.micronaut.core.convert.ConversionService;
import io.micronaut.core.util.StringUtils;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
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
import io.outbox.wiring.listener.AnnotatedListeners;
import io.outbox.wiring.listener.ListenerPolicies;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The beans of the outbox. A bean of your own of the same type replaces each of them. */
@Factory
@Requires(property = OutboxConfiguration.PREFIX + ".enabled", notEquals = StringUtils.FALSE)
final class OutboxFactory {

  private static final String FLYWAY =
      "add classpath:schema/outbox-flyway/<vendor> to flyway.datasources.*.locations";

  @Singleton
  Settings outboxSettings(
      OutboxConfiguration configuration, Environment environment, ConversionService conversions) {
    return MicronautSettings.of(configuration, new ListenerProperties(environment, conversions));
  }

  @Singleton
  ChosenDataSource outboxDataSource(OutboxConfiguration configuration, BeanContext beans) {
    return ChosenDataSource.of(configuration.datasource(), beans);
  }

  @Singleton
  @Secondary
  ConnectionProvider outboxConnectionProvider(ChosenDataSource chosen) {
    return new DataSourceConnectionProvider(chosen.pool());
  }

  @Singleton
  @Secondary
  TxContext outboxTxContext(ChosenDataSource chosen) {
    return new MicronautTxContext(chosen.transactions());
  }

  @Singleton
  @Secondary
  OutboxStore outboxStore(ChosenDataSource chosen, Settings settings) {
    return new OutboxTable(chosen.pool(), settings, FLYWAY).open();
  }

  @Singleton
  @Secondary
  DefaultListenerRegistry outboxListenerRegistry() {
    return new DefaultListenerRegistry();
  }

  @Singleton
  AnnotatedListeners outboxListeners(ChosenBeans beans, Settings settings) {
    return new AnnotatedListeners(
        beans.get(DefaultListenerRegistry.class), ListenerPolicies.of(settings));
  }

  @Singleton
  @Bean(preDestroy = "close")
  DefaultCodec outboxDefaultCodec(ChosenBeans beans) {
    return new DefaultCodec(beans.find(JsonCodec.class).orElse(null));
  }

  @Singleton
  OutboxBuilders outboxBuilders(
      Settings settings,
      ChosenBeans beans,
      List<EventInterceptor> interceptors,
      List<OutboxBuilderCustomizer> customizers) {
    Stream<Consumer<Outbox.AbstractBuilder<?>>> customizing =
        customizers.stream().map(customizer -> customizer::customize);
    return new OutboxBuilders(
        settings,
        new OutboxBuilders.Extras(
            beans.find(MetricsExporter.class),
            () -> beans.find(RetryPolicy.class),
            interceptors,
            () -> beans.find(EventPurger.class),
            customizing.toList()));
  }

  /**
   * Delivers when it is started, after the last listener is registered. Primary: an application may
   * have a second one.
   *
   * @param codec it is the default before the first event can be written
   */
  @Singleton
  @Primary
  @Bean(preDestroy = "close")
  Outbox outbox(OutboxBuilders builders, ChosenBeans beans, DefaultCodec codec) {
    return builders.build(
        beans.get(ConnectionProvider.class),
        beans.get(TxContext.class),
        beans.get(OutboxStore.class),
        beans.get(ListenerRegistry.class));
  }

  @Singleton
  @Primary
  OutboxWriter outboxWriter(Outbox outbox) {
    return outbox.writer();
  }

  /** Fails if the store has no operator, but only when somebody asks for it. */
  @Singleton
  @Primary
  OutboxOperator outboxOperator(ChosenBeans beans) {
    return OutboxOperator.of(beans.get(ConnectionProvider.class), beans.get(OutboxStore.class));
  }
}
