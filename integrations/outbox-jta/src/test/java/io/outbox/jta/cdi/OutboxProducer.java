package io.outbox.jta.cdi;

import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jta.JtaTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import javax.sql.DataSource;

// snippet: jta-cdi
@ApplicationScoped
public class OutboxProducer {

  @Produces
  @Singleton
  Outbox outbox(
      DataSource dataSource,
      TransactionSynchronizationRegistry registry,
      EventListener orderListener) {
    return Outbox.singleNode()
        .connectionProvider(new DataSourceConnectionProvider(dataSource))
        .txContext(new JtaTxContext(registry, dataSource))
        .outboxStore(JdbcOutboxStores.detect(dataSource))
        .listenerRegistry(new DefaultListenerRegistry().register("OrderPlaced", orderListener))
        .build();
  }

  /** Delivery starts with the application, not with its first event. */
  void start(@Observes @Initialized(ApplicationScoped.class) Object event, Outbox outbox) {}

  void stop(@Disposes Outbox outbox) {
    outbox.close();
  }

  @Produces
  @Singleton
  OutboxWriter writer(Outbox outbox) {
    return outbox.writer();
  }
}
// end
