package io.outbox.samples.sql;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;

/** The outbox: takes events of either library, and delivers them. */
final class Events implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private final BlockingQueue<String> delivered = new LinkedBlockingQueue<>();
  private final Outbox outbox;

  Events(DataSource dataSource, ConnectionProvider connections, ThreadLocalTxContext txContext) {
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(
                new DefaultListenerRegistry()
                    .registerDefault(
                        event -> {
                          delivered.add(event.aggregateId());
                          return DispatchResult.done();
                        }))
            .build();
  }

  /** Writes an event in the transaction of the calling thread. */
  void placed(String orderId) {
    outbox
        .writer()
        .write(
            EventEnvelope.builder("OrderPlaced")
                .aggregateType("Order")
                .aggregateId(orderId)
                .payloadJson("{}")
                .build());
  }

  /** The order whose event is delivered next. */
  String awaitDelivery() throws InterruptedException {
    String id = delivered.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (id == null) {
      throw new IllegalStateException("no event was delivered");
    }
    return id;
  }

  /** How many deliveries nobody has asked for. */
  int unexpectedDeliveries() {
    return delivered.size();
  }

  /** Delivers what is queued, and stops. */
  @Override
  public void close() {
    outbox.close();
  }
}
