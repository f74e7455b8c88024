package io.outbox.micronaut.page;

import io.micronaut.context.annotation.Bean;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.data.connection.jdbc.advice.DelegatingDataSource;
import io.micronaut.transaction.TransactionOperations;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.micronaut.MicronautTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import jakarta.inject.Named;
import java.sql.Connection;
import javax.sql.DataSource;

/** The second outbox of the page. */
@Requires(property = "spec", value = "second")
// snippet: micronaut-second
@Factory
class StockOutbox {

  @Context
  @Named("stock")
  @Bean(preDestroy = "close")
  Outbox stockOutbox(
      @Named("stock") DataSource dataSource,
      @Named("stock") TransactionOperations<Connection> transactions,
      @Named("stock") EventListener listener) {
    DataSource pool = DelegatingDataSource.unwrapDataSource(dataSource); // for its own threads
    return Outbox.singleNode()
        .connectionProvider(new DataSourceConnectionProvider(pool))
        .txContext(new MicronautTxContext(transactions))
        .outboxStore(JdbcOutboxStores.detect(pool))
        .listenerRegistry(new DefaultListenerRegistry().registerDefault(listener))
        .build();
  }
}
// end
