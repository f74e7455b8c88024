package io.outbox.spring.boot.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.AggregateType;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.EventType;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventStatus;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.ConnectionProvider;
import io.outbox.spi.OutboxStore;
import io.outbox.spring.SpringTxContext;
import io.outbox.spring.boot.OutboxBuilderCustomizer;
import io.outbox.spring.boot.OutboxDataSource;
import io.outbox.spring.boot.OutboxListener;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.stereotype.Component;
import org.springframework.transaction.event.TransactionalEventListener;
import org.springframework.transaction.support.TransactionTemplate;

/** The code that docs/spring.md shows. */
class GuideTest {

  private static final List<String> SENT = new CopyOnWriteArrayList<>();

  private final ApplicationContextRunner runner =
      Outboxes.runner().withConfiguration(AutoConfigurations.of(Boot.JACKSON));

  @BeforeEach
  void forget() {
    SENT.clear();
  }

  private static void send(String text) {
    SENT.add(text);
  }

  private static void awaitSent(String... expected) {
    Await.until("sent " + List.of(expected), Outboxes.SOON, () -> SENT.size() >= expected.length);
    assertThat(SENT).containsExactlyInAnyOrder(expected);
  }

  // snippet: boot-listener-class
  @Component
  @OutboxListener(eventType = "OrderPlaced", aggregateType = "Order")
  static class Invoices implements EventListener {

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      send("invoice for " + event.aggregateId());
      return DispatchResult.done();
    }
  }

  // end

  // snippet: boot-listener-types
  enum Orders implements EventType {
    PLACED,
    SHIPPED
  }

  static class OrderAggregate implements AggregateType {
    @Override
    public String name() {
      return "Order";
    }
  }

  @Component
  @OutboxListener(
      eventTypeClass = Orders.class,
      eventType = "SHIPPED", // a constant of the enum, checked at the start
      aggregateTypeClass = OrderAggregate.class) // instantiated for its name
  static class Notices implements EventListener {

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      send("notice for " + event.aggregateId());
      return DispatchResult.done();
    }
  }

  // end

  record OrderPlaced(String orderId, int cents) {}

  // snippet: boot-listener-methods
  @Component
  static class Shipping {

    @OutboxListener("OrderPlaced")
    void placed(OrderPlaced order, EventEnvelope event) { // either, or both
      send(order.orderId() + " once, because " + event.eventId() + " is known");
    }

    @OutboxListener("OrderPaid")
    DispatchResult paid(String json) { // the JSON as it was written
      return json.contains("pending")
          ? DispatchResult.retryAfter(Duration.ofMinutes(5))
          : DispatchResult.done();
    }

    @OutboxListener("LabelPrinted")
    void printed(byte[] pdf) { // a payload of bytes
      send(pdf.length + " bytes");
    }
  }

  // end

  // snippet: boot-subscriptions
  @Component
  static class OrderReactions {

    @OutboxListener(value = "OrderBilled", subscription = "send-mail")
    void mail(EventEnvelope event) {
      send("mail for " + event.eventId());
    }

    @OutboxListener(value = "OrderBilled", subscription = "statistics")
    void count(EventEnvelope event) {
      send("statistics of " + event.eventId());
    }
  }

  // end

  @Test
  void anEventMayHaveSubscriptions() {
    runner
        .withBean(OrderReactions.class)
        .withPropertyValues("outbox.listeners.[@@send-mail/OrderBilled].max-attempts=3")
        .run(
            context -> {
              Outboxes.write(
                  context,
                  EventEnvelope.builder("OrderBilled").eventId("e-1").payloadJson("{}").build());
              awaitSent("mail for e-1", "statistics of e-1");
              assertThat(context.getBean(DefaultListenerRegistry.class).registered().toString())
                  .containsOnlyOnce("ListenerPolicy[maxAttempts=3]");
            });
  }

  @Test
  void listenersAreClassesAndMethods() {
    runner
        .withBean(Invoices.class)
        .withBean(Notices.class)
        .withBean(Shipping.class)
        .run(
            context -> {
              Outboxes.write(context, of("OrderPlaced", "Order").payloadJson("{}").build());
              Outboxes.write(context, of("SHIPPED", "Order").payloadJson("{}").build());
              Outboxes.write(
                  context,
                  EventEnvelope.builder("OrderPlaced")
                      .eventId("e-1")
                      .payload(new OrderPlaced("A-17", 1999))
                      .build());
              Outboxes.write(context, "OrderPaid", "{\"state\": \"pending\"}");
              Outboxes.write(
                  context,
                  EventEnvelope.builder("LabelPrinted")
                      .payloadBytes(new byte[3], "application/pdf")
                      .build());
              awaitSent(
                  "invoice for A-17",
                  "notice for A-17",
                  "A-17 once, because e-1 is known",
                  "3 bytes");
              Outboxes.awaitCounts(context, Map.of(EventStatus.DONE, 4, EventStatus.NEW, 1));
            });
  }

  // snippet: boot-policy
  @Component
  static class Carrier {

    @OutboxListener(
        value = "ShipmentWanted",
        policy = "patient", // a bean, for what attributes cannot say
        concurrency = 2,
        timeout = "30s",
        retryNever = IllegalArgumentException.class)
    void ship(OrderPlaced order) {
      throw new IllegalArgumentException("unknown address of " + order.orderId());
    }
  }

  @Bean
  ListenerPolicy patient() {
    return ListenerPolicy.builder()
        .retryPolicy(failures -> 60_000L * failures)
        .fallback((event, reason) -> send("refund: " + reason))
        .build();
  }

  // end

  @Test
  void aListenerHasItsOwnPolicy() {
    runner
        .withBean(Carrier.class)
        .withBean("patient", ListenerPolicy.class, this::patient)
        .withPropertyValues(
            "outbox.listeners.ShipmentWanted.max-attempts=5",
            "outbox.listeners.ShipmentWanted.rate-limit.events=100",
            "outbox.listeners.ShipmentWanted.rate-limit.period=1m",
            "outbox.listeners.ShipmentWanted.retry-always=java.io.IOException")
        .run(
            context -> {
              Outboxes.write(context, "ShipmentWanted", "{\"orderId\": \"A-17\", \"cents\": 100}");
              awaitSent("refund: java.lang.IllegalArgumentException: unknown address of A-17");
              assertThat(context.getBean(DefaultListenerRegistry.class).registered().toString())
                  .contains(
                      "ListenerPolicy[maxAttempts=5, retryPolicy=own,"
                          + " retryNever=IllegalArgumentException, retryAlways=IOException,"
                          + " timeout=PT30S, concurrency=2, rateLimit=100 per PT1M,"
                          + " fallback=yes]");
            });
  }

  @Test
  void propertiesForNoListenerAreAMistake() {
    runner
        .withPropertyValues("outbox.listeners.ShipmentWnated.concurrency=2")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .hasMessageContaining("outbox.listeners.ShipmentWnated")
                    .hasMessageContaining("for no listener"));
  }

  private static EventEnvelope.Builder of(String eventType, String aggregateType) {
    return EventEnvelope.builder(eventType).aggregateType(aggregateType).aggregateId("A-17");
  }

  // snippet: boot-default-listener
  @Component
  static class Forwarding {

    Forwarding(DefaultListenerRegistry listeners) {
      listeners.registerDefault(
          event -> {
            send("to the broker: " + event.eventType());
            return DispatchResult.done();
          });
    }
  }

  // end

  @Test
  void aDefaultListenerIsRegisteredByHand() {
    runner
        .withBean(Forwarding.class)
        .run(
            context -> {
              Outboxes.write(context, "Whatever", "{}");
              awaitSent("to the broker: Whatever");
            });
  }

  record OrderCommitted(String orderId) {}

  // snippet: boot-after-commit
  @Component
  static class AfterCommit {

    private final OutboxWriter outbox;
    private final TransactionTemplate newTransaction;

    AfterCommit(OutboxWriter outbox, TransactionTemplate transactions) {
      this.outbox = outbox;
      this.newTransaction = new TransactionTemplate(transactions.getTransactionManager());
      newTransaction.setPropagationBehavior(TransactionTemplate.PROPAGATION_REQUIRES_NEW);
    }

    @TransactionalEventListener // the transaction is over: a write here would be refused
    void committed(OrderCommitted event) {
      newTransaction.executeWithoutResult(tx -> outbox.write("OrderCommitted", "{}"));
    }
  }

  // end

  @Test
  void afterTheCommitANewTransactionIsNeeded() {
    runner
        .withBean(AfterCommit.class)
        .withBean(Forwarding.class)
        .run(
            context -> {
              context
                  .getBean(TransactionTemplate.class)
                  .executeWithoutResult(tx -> context.publishEvent(new OrderCommitted("A-17")));
              awaitSent("to the broker: OrderCommitted");
            });
  }

  @Configuration(proxyBeanMethods = false)
  static class DataSources {
    // snippet: boot-data-source
    @Bean
    @OutboxDataSource // of several, the one whose transactions events are written in
    DataSource orderDatabase() {
      return dataSourceOf("orders");
    }

    // end

    @Bean
    @Primary
    DataSource customerDatabase() {
      return dataSourceOf("customers");
    }

    private static DataSource dataSourceOf(String name) {
      return new DriverManagerDataSource(Outboxes.inMemory() + ";INIT=CREATE SCHEMA " + name);
    }
  }

  @Test
  void oneOfSeveralDataSourcesIsMarked() {
    runner
        .withUserConfiguration(DataSources.class)
        .withPropertyValues("outbox.schema.initialize=never", "outbox.schema.validate=false")
        .run(context -> assertThat(context).hasNotFailed());
  }

  @Configuration(proxyBeanMethods = false)
  static class Customizing {
    // snippet: boot-customizer
    @Bean
    OutboxBuilderCustomizer deadLetters() {
      return builder -> {
        if (builder instanceof Outbox.DispatchingBuilder<?> dispatching) {
          dispatching.onDead((event, reason) -> send(event.eventType() + " is dead: " + reason));
        }
      };
    }
    // end
  }

  @Test
  void theBuilderCanBeCustomized() {
    runner
        .withUserConfiguration(Customizing.class)
        .run(
            context -> {
              Outboxes.write(context, "Unknown", "{}");
              Await.until("the callback", Outboxes.SOON, () -> !SENT.isEmpty());
              assertThat(SENT).singleElement().asString().startsWith("Unknown is dead: ");
            });
  }

  @Component
  static class OrderService {
    private final OutboxWriter outbox;
    private final TransactionTemplate transactions;

    OrderService(OutboxWriter outbox, TransactionTemplate transactions) {
      this.outbox = outbox;
      this.transactions = transactions;
    }

    void place(String orderId) {
      transactions.executeWithoutResult(tx -> outbox.write("OrderPlaced", "{}"));
    }
  }

  @Test
  void aTestWaitsForTheOutboxToBeIdle() {
    runner
        .withBean(OrderService.class)
        .withBean(Forwarding.class)
        .run(GuideTest::assertOrdersAreForwarded);
  }

  private static void assertOrdersAreForwarded(ApplicationContext context) {
    OrderService orders = context.getBean(OrderService.class);
    OutboxStore store = context.getBean(OutboxStore.class);
    ConnectionProvider connections = context.getBean(ConnectionProvider.class);

    // snippet: boot-test
    orders.place("A-17");

    Await.finished(store, connections, Duration.ofSeconds(30)); // all events are DONE or DEAD
    assertThat(SENT).containsExactly("to the broker: OrderPlaced");
    // end
  }

  // snippet: spring-by-hand
  @Configuration
  static class OutboxConfiguration {

    @Bean
    SpringTxContext txContext(DataSource dataSource, DataSourceTransactionManager manager) {
      SpringTxContext txContext = new SpringTxContext(dataSource);
      manager.addListener(txContext); // tells the context which transaction is whose
      return txContext;
    }

    @Bean // closed with the application
    Outbox outbox(DataSource dataSource, SpringTxContext txContext) {
      OutboxSchema.create(dataSource);
      return Outbox.singleNode()
          .connectionProvider(new DataSourceConnectionProvider(dataSource))
          .txContext(txContext)
          .outboxStore(JdbcOutboxStores.detect(dataSource))
          .listenerRegistry(
              new DefaultListenerRegistry()
                  .register(
                      "OrderPlaced",
                      event -> {
                        send("order " + event.payloadJson());
                        return DispatchResult.done();
                      }))
          .build();
    }

    @Bean
    OutboxWriter outboxWriter(Outbox outbox) {
      return outbox.writer();
    }
  }

  // end

  @Configuration
  static class Infrastructure {
    @Bean
    DataSource dataSource() {
      return new DriverManagerDataSource(Outboxes.inMemory());
    }

    @Bean
    DataSourceTransactionManager transactionManager(DataSource dataSource) {
      return new DataSourceTransactionManager(dataSource);
    }
  }

  @Test
  void withoutSpringBootTheOutboxIsWiredByHand() {
    try (var context =
        new AnnotationConfigApplicationContext(Infrastructure.class, OutboxConfiguration.class)) {
      OutboxWriter writer = context.getBean(OutboxWriter.class);
      new TransactionTemplate(context.getBean(DataSourceTransactionManager.class))
          .executeWithoutResult(tx -> writer.write("OrderPlaced", "17"));
      awaitSent("order 17");
    }
  }
}
