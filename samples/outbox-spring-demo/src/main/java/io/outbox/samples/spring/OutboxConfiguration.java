package io.outbox.samples.spring;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.dead.DeadEventManager;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spring.SpringTxContext;
import javax.sql.DataSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** All that it takes without the Spring Boot starter. */
@Configuration(proxyBeanMethods = false)
class OutboxConfiguration {

  @Bean
  ConnectionProvider outboxConnections(DataSource dataSource) {
    OutboxSchema.create(dataSource);
    return new DataSourceConnectionProvider(dataSource);
  }

  @Bean
  AbstractJdbcOutboxStore outboxStore(DataSource dataSource) {
    return JdbcOutboxStores.detect(dataSource);
  }

  /** All listeners are in the registry before the outbox, which needs it, begins to deliver. */
  @Bean
  DefaultListenerRegistry outboxListeners(Shipping shipping) {
    return new DefaultListenerRegistry()
        .register(
            "OrderPlaced",
            event -> {
              shipping.prepare(event);
              return DispatchResult.done();
            });
  }

  @Bean
  Outbox outbox(
      DataSource dataSource,
      ConnectionProvider connections,
      AbstractJdbcOutboxStore store,
      DefaultListenerRegistry listeners) {
    return Outbox.singleNode()
        .connectionProvider(connections)
        .txContext(new SpringTxContext(dataSource))
        .outboxStore(store)
        .listenerRegistry(listeners)
        .build();
  }

  @Bean
  OutboxWriter outboxWriter(Outbox outbox) {
    return outbox.writer();
  }

  @Bean
  DeadEventManager deadEvents(ConnectionProvider connections, AbstractJdbcOutboxStore store) {
    return new DeadEventManager(connections, store);
  }
}
