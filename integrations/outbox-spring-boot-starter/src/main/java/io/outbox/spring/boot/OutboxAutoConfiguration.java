package io.outbox.spring.boot;

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
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.wiring.ChosenDataSource;
import io.outbox.spring.boot.wiring.SpringSettings;
import io.outbox.spring.boot.wiring.TransactionListening;
import io.outbox.wiring.DefaultCodec;
import io.outbox.wiring.OutboxBuilders;
import io.outbox.wiring.OutboxTable;
import io.outbox.wiring.Purgers;
import io.outbox.wiring.Settings;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.sql.init.dependency.DependsOnDatabaseInitialization;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * An {@link Outbox} on the application's {@link DataSource}, configured by {@code outbox.*}. Your
 * own bean replaces each of these beans. Nothing is delivered before the application has started.
 */
@AutoConfiguration(
    afterName = {
      // Spring Boot 3
      "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
      "org.springframework.boot.autoconfigure.jdbc.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
      "org.springframework.boot.autoconfigure.flyway.FlywayAutoConfiguration",
      "org.springframework.boot.autoconfigure.liquibase.LiquibaseAutoConfiguration",
      // Spring Boot 4
      "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
      "org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration",
      "org.springframework.boot.flyway.autoconfigure.FlywayAutoConfiguration",
      "org.springframework.boot.liquibase.autoconfigure.LiquibaseAutoConfiguration"
    })
@ConditionalOnClass(Outbox.class)
@ConditionalOnBean(DataSource.class)
@ConditionalOnProperty(name = "outbox.enabled", matchIfMissing = true)
@EnableConfigurationProperties(OutboxProperties.class)
public class OutboxAutoConfiguration {

  private static final String FLYWAY =
      "spring.flyway.locations=classpath:db/migration,classpath:schema/outbox-flyway/{vendor}";

  OutboxAutoConfiguration() {}

  @Bean
  @Lazy
  ChosenDataSource outboxChosenDataSource(
      OutboxProperties properties,
      @OutboxDataSource ObjectProvider<DataSource> marked,
      ObjectProvider<DataSource> all,
      ListableBeanFactory beans) {
    return ChosenDataSource.of(properties.datasource(), marked, all, beans);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  ConnectionProvider outboxConnectionProvider(ChosenDataSource chosen) {
    DataSource dataSource = chosen.dataSource();
    return new DataSourceConnectionProvider(
        dataSource instanceof TransactionAwareDataSourceProxy proxy
                && proxy.getTargetDataSource() != null
            ? proxy.getTargetDataSource()
            : dataSource);
  }

  /** Not declared as the listener it is, which Spring Boot would make whether it is used or not. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  TxContext outboxTxContext(ChosenDataSource chosen, OutboxProperties properties) {
    return new SpringTxContext(chosen.dataSource(), properties.flushesBeforeWrite());
  }

  @Bean
  @Lazy(false)
  TransactionListening outboxTransactionListening(ConfigurableListableBeanFactory beans) {
    return new TransactionListening(beans);
  }

  @Bean
  @ConditionalOnMissingBean(ListenerRegistry.class)
  DefaultListenerRegistry outboxListenerRegistry() {
    return new DefaultListenerRegistry();
  }

  @Bean
  @Lazy(false)
  @ConditionalOnMissingBean
  OutboxListenerRegistrar outboxListenerRegistrar(
      ConfigurableListableBeanFactory beans,
      ObjectProvider<DefaultListenerRegistry> registry,
      OutboxProperties properties) {
    return new OutboxListenerRegistrar(beans, registry.getIfUnique(), properties.listeners());
  }

  @Bean
  @Lazy
  Settings outboxSettings(OutboxProperties properties, Environment environment) {
    return SpringSettings.of(properties, environment);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  RetryPolicy outboxRetryPolicy(Settings settings) {
    return OutboxBuilders.backoff(settings);
  }

  @Bean
  @Lazy
  @ConditionalOnMissingBean
  @ConditionalOnProperty("outbox.purge.enabled")
  EventPurger outboxEventPurger(Settings settings, OutboxStore store) {
    return Purgers.of(store, settings);
  }

  @Bean
  @Lazy
  OutboxBuilders outboxBuilders(
      Settings settings,
      ObjectProvider<MetricsExporter> metrics,
      ObjectProvider<RetryPolicy> retryPolicy,
      ObjectProvider<EventInterceptor> interceptors,
      ObjectProvider<EventPurger> purger,
      ObjectProvider<OutboxBuilderCustomizer> customizers) {
    Stream<Consumer<Outbox.AbstractBuilder<?>>> customizing =
        customizers.orderedStream().map(customizer -> customizer::customize);
    return new OutboxBuilders(
        settings,
        new OutboxBuilders.Extras(
            Optional.ofNullable(metrics.getIfAvailable()),
            () -> Optional.ofNullable(retryPolicy.getIfAvailable()),
            interceptors.orderedStream().toList(),
            () -> Optional.ofNullable(purger.getIfAvailable()),
            customizing.toList()));
  }

  @Bean
  @Lazy(false)
  DefaultCodec outboxDefaultJsonCodec(ObjectProvider<JsonCodec> codec) {
    return new DefaultCodec(codec.getIfAvailable());
  }

  /** {@code codec}: it is set before the first event can be written. */
  @Bean
  @ConditionalOnMissingBean
  Outbox outbox(
      OutboxBuilders builders,
      ConnectionProvider connectionProvider,
      TxContext txContext,
      OutboxStore store,
      ListenerRegistry registry,
      DefaultCodec codec) {
    return builders.build(connectionProvider, txContext, store, registry);
  }

  @Bean
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(Outbox.class)
  OutboxWriter outboxWriter(Outbox outbox) {
    return outbox.writer();
  }

  /** Fails if the store has no operator, but only when somebody asks for it. */
  @Bean
  @Lazy
  @ConditionalOnMissingBean
  @ConditionalOnSingleCandidate(Outbox.class)
  OutboxOperator outboxOperator(ConnectionProvider connectionProvider, OutboxStore store) {
    return OutboxOperator.of(connectionProvider, store);
  }

  @Bean
  @Lazy(false)
  @ConditionalOnMissingBean
  OutboxLifecycle outboxLifecycle(
      ObjectProvider<Outbox> outboxes,
      OutboxProperties properties,
      OutboxListenerRegistrar listeners,
      ConfigurableListableBeanFactory beans) {
    return new OutboxLifecycle(outboxes.orderedStream().toList(), properties, listeners, beans);
  }

  /** The application declares no store, so ours and its table are used. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnMissingBean(OutboxStore.class)
  static class JdbcStore {

    @Bean
    @Lazy
    @DependsOnDatabaseInitialization
    OutboxStore outboxStore(ChosenDataSource chosen, Settings settings) {
      return new OutboxTable(chosen.dataSource(), settings, FLYWAY).open();
    }
  }
}
