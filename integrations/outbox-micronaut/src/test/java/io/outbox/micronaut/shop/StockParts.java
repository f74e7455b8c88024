package io.outbox.micronaut.shop;

import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.transaction.TransactionOperations;
import io.outbox.dispatch.RetryPolicy;
import io.outbox.micronaut.MicronautTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.MetricsExporter;
import io.outbox.spi.TxContext;
import io.outbox.testing.RecordingListener;
import io.outbox.testing.RecordingMetrics;
import jakarta.inject.Named;
import jakarta.inject.Singleton;
import java.sql.Connection;

/** What a second outbox may be made of; nothing of it is for the first. */
@Factory
@Requires(property = "spec", value = "second")
class StockParts {

  @Singleton
  @Named("stock")
  RecordingListener listener() {
    return new RecordingListener();
  }

  @Singleton
  @Named("stock")
  DefaultListenerRegistry registry() {
    return new DefaultListenerRegistry();
  }

  @Singleton
  @Named("stock")
  TxContext txContext(@Named("stock") TransactionOperations<Connection> transactions) {
    return new MicronautTxContext(transactions);
  }

  @Singleton
  @Named("stock")
  ConnectionProvider connections() {
    return () -> {
      throw new IllegalStateException("not for this outbox");
    };
  }

  @Singleton
  @Named("stock")
  MetricsExporter metrics() {
    return new RecordingMetrics();
  }

  @Singleton
  @Named("stock")
  RetryPolicy slow() {
    return attempt -> 600_000;
  }
}
