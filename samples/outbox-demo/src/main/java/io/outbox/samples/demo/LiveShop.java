package io.outbox.samples.demo;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.jdbc.tx.ThreadLocalTxContext;
import io.outbox.operate.OutboxOperator;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.OutboxStore;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.h2.jdbcx.JdbcConnectionPool;

/**
 * A shop that takes orders for as long as it is open, on an H2 in memory. Not all goes well there:
 * a payment fails now and then and is tried again, and some mails cannot be sent until they are
 * replayed.
 */
final class LiveShop implements AutoCloseable {

  private static final Duration TICK = Duration.ofMillis(200);

  /** New customers have no mailbox for so long: a replay after that succeeds. */
  private static final Duration WITHOUT_MAILBOX = Duration.ofSeconds(20);

  private final JdbcConnectionPool dataSource =
      JdbcConnectionPool.create("jdbc:h2:mem:outbox-live", "sa", "");
  private final Connection keptOpen; // an H2 in memory lives as long as somebody is connected
  private final JdbcTransactionManager transactions;
  private final OutboxOperator operator;
  private final Outbox outbox;
  private final Random random = new Random();
  private final long opened = System.nanoTime();
  private final ScheduledExecutorService customers =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "customers");
            thread.setDaemon(true);
            return thread;
          });
  private int orders;

  LiveShop() throws SQLException {
    dataSource.setMaxConnections(20);
    keptOpen = dataSource.getConnection();
    OutboxSchema.create(dataSource);
    DataSourceConnectionProvider connections = new DataSourceConnectionProvider(dataSource);
    ThreadLocalTxContext txContext = new ThreadLocalTxContext();
    transactions = new JdbcTransactionManager(connections, txContext);
    OutboxStore store = JdbcOutboxStores.detect(dataSource);
    operator = OutboxOperator.of(connections, store);
    outbox =
        Outbox.multiNode()
            .connectionProvider(connections)
            .txContext(txContext)
            .outboxStore(store)
            .listenerRegistry(listeners())
            .intervalMs(1000)
            .claimLocking(Duration.ofMinutes(5))
            .maxAttempts(5)
            .purger(new H2EventPurger())
            .purgeRetention(Duration.ofMinutes(15))
            .purgeIntervalSeconds(60)
            .build();
    customers.scheduleWithFixedDelay(this::serve, 0, TICK.toMillis(), TimeUnit.MILLISECONDS);
  }

  OutboxOperator operator() {
    return operator;
  }

  private DefaultListenerRegistry listeners() {
    DefaultListenerRegistry listeners = new DefaultListenerRegistry();
    listeners.register("Order", "OrderPlaced", event -> DispatchResult.done());
    listeners.register(
        "Order",
        "PaymentDue",
        event -> {
          if (random.nextInt(12) == 0) {
            throw new IOException("the bank answers 503 Service Unavailable");
          }
          return DispatchResult.done();
        });
    listeners.register(
        "Customer",
        "WelcomeMailWanted",
        event -> {
          Duration age = Duration.between(event.occurredAt(), Instant.now());
          if (age.compareTo(WITHOUT_MAILBOX) < 0 && event.aggregateId().endsWith("7")) {
            throw new UnrecoverableException("there is no mailbox for " + event.aggregateId());
          }
          return DispatchResult.done();
        });
    return listeners;
  }

  private void serve() {
    try {
      serveSome();
    } catch (RuntimeException e) {
      System.err.println("The shop could not take an order: " + e.getMessage());
    }
  }

  /** More at some times than at others, but never none for long. */
  private void serveSome() {
    double wave = 1.4 + Math.sin((System.nanoTime() - opened) / 1e9 / 20);
    for (int i = (int) (wave * 2 * random.nextDouble() + 0.5); i > 0; i--) {
      int number = ++orders;
      transactions.run(
          transaction ->
              outbox.writer().writeAll(order("A-" + number, "customer-" + number % 1000, random)));
    }
  }

  static List<EventEnvelope> order(String id, String customer, Random random) {
    String payload =
        "{\"orderId\": \"%s\", \"customer\": \"%s\", \"cents\": %d}"
            .formatted(id, customer, 500 + random.nextInt(20_000));
    return List.of(
        event("OrderPlaced", "Order", id, payload).build(),
        event("PaymentDue", "Order", id, payload)
            .deliverAfter(Duration.ofSeconds(1 + random.nextInt(10)))
            .build(),
        event("WelcomeMailWanted", "Customer", customer, payload).build());
  }

  private static EventEnvelope.Builder event(
      String type, String aggregateType, String aggregateId, String payload) {
    return EventEnvelope.builder(type)
        .aggregateType(aggregateType)
        .aggregateId(aggregateId)
        .header("source", "demo")
        .payloadJson(payload);
  }

  @Override
  public void close() throws SQLException {
    customers.shutdownNow();
    outbox.close();
    keptOpen.close();
    dataSource.dispose();
  }
}
