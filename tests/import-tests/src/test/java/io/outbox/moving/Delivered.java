package io.outbox.moving;

import com.google.gson.JsonParser;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.registry.DefaultListenerRegistry;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** The new application: it delivers, and counts what arrives, by the number of the order. */
final class Delivered implements AutoCloseable {

  private final Map<Integer, AtomicInteger> times = new ConcurrentHashMap<>();
  private final Map<Integer, EventEnvelope> events = new ConcurrentHashMap<>();
  private final JdbcTransactionManager transactions;
  private final Outbox outbox;

  Delivered(DataSource dataSource) {
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    transactions = new JdbcTransactionManager(connections, txContext);
    DefaultListenerRegistry registry = new DefaultListenerRegistry();
    registry.registerDefault(this::count);
    outbox =
        Outbox.singleNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(JdbcOutboxStores.detect(dataSource))
            .listenerRegistry(registry)
            .intervalMs(200)
            .build();
  }

  private DispatchResult count(EventEnvelope event) {
    int number =
        JsonParser.parseString(event.payloadJson()).getAsJsonObject().get("number").getAsInt();
    times.computeIfAbsent(number, each -> new AtomicInteger()).incrementAndGet();
    events.put(number, event);
    return DispatchResult.done();
  }

  /** Writes as the new application does. */
  void write(OrderPlaced order) {
    OutboxWriter writer = outbox.writer();
    try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
      // snippet: moving-after
      writer.write(
          EventEnvelope.builder("OrderPlaced")
              .aggregateId(order.customer())
              .header("tenant", "shop")
              .payload(order)
              .build());
      // end
      tx.commit();
    }
  }

  /** The same, for listeners of an aggregate type. */
  void writeTyped(OrderPlaced order) {
    OutboxWriter writer = outbox.writer();
    try (JdbcTransactionManager.Transaction tx = transactions.begin()) {
      // snippet: moving-debezium-after
      writer.write(
          EventEnvelope.builder("OrderPlaced")
              .aggregateType("Order")
              .aggregateId(String.valueOf(order.number()))
              .payload(order)
              .build());
      // end
      tx.commit();
    }
  }

  /** How many orders arrived at least once. */
  int orders() {
    return times.size();
  }

  /** How often an order arrived, at most. */
  int mostOften() {
    return times.values().stream().mapToInt(AtomicInteger::get).max().orElse(0);
  }

  EventEnvelope event(int number) {
    return events.get(number);
  }

  @Override
  public void close() {
    outbox.close();
  }
}
