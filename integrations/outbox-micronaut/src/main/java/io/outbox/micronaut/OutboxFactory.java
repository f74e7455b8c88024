package io.outbox.micronaut;

import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Primary;
import io.micronaut.context.annotation.Requires;
import io.micronaut.context.annotation.Secondary;
import io.micronaut.core.util.StringUtils;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.annotation.support.AnnotatedListeners;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxStoreException;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import jakarta.inject.Singleton;

/** The beans of the outbox. A bean of your own of the same type replaces each of them. */
@Factory
@Requires(property = OutboxConfiguration.PREFIX + ".enabled", notEquals = StringUtils.FALSE)
final class OutboxFactory {

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
  OutboxStore outboxStore(ChosenDataSource chosen, OutboxConfiguration configuration) {
    OutboxStore store = detect(chosen, configuration);
    new TableSetup(chosen.pool(), configuration).run();
    return store;
  }

  private static OutboxStore detect(ChosenDataSource chosen, OutboxConfiguration configuration) {
    try {
      return JdbcOutboxStores.detect(chosen.pool(), configuration.tableName());
    } catch (IllegalArgumentException e) {
      throw Problem.invalid("table-name", e);
    } catch (OutboxStoreException e) {
      throw Problem.of(
          "The outbox cannot use its database: " + e.getMessage(),
          "See that it can be reached and is H2, PostgreSQL, MySQL or MariaDB; or name another"
              + " DataSource with outbox.datasource; or declare your own OutboxStore bean; or do"
              + " without the outbox: outbox.enabled=false",
          e);
    }
  }

  @Singleton
  @Secondary
  DefaultListenerRegistry outboxListenerRegistry() {
    return new DefaultListenerRegistry();
  }

  @Singleton
  AnnotatedListeners outboxListeners(ChosenBeans beans) {
    return new AnnotatedListeners(beans.get(DefaultListenerRegistry.class));
  }

  /**
   * Delivers when it is started, after the last listener is registered. Primary: an application may
   * have a second one.
   */
  @Singleton
  @Primary
  @Bean(preDestroy = "close")
  Outbox outbox(OutboxAssembly assembly) {
    return assembly.build();
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
