package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.Outbox;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingListener;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** The code of the page about R2DBC. */
class R2dbcPageTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final ReactiveDatabase database = new ReactiveDatabase(TestDatabase.H2);
  private final RecordingListener listener = new RecordingListener();
  private final Outbox outbox = database.configured(Outbox.singleNode(), listener).build();

  @AfterEach
  void close() {
    outbox.close();
    database.close();
  }

  @Test
  void plainTransactions() {
    OutboxStore store = database.store;
    ConnectionFactory connectionFactory = database.pool;

    // snippet: r2dbc-plain
    R2dbcOutbox reactiveOutbox = new R2dbcOutbox(outbox, store); // one for the application

    Mono<String> placed =
        reactiveOutbox.inTransaction(
            connectionFactory,
            tx ->
                insertOrder(tx.connection(), "A-17")
                    .then(tx.write("OrderPlaced", "{\"orderId\":\"A-17\"}")));
    // end

    String id = placed.block(SOON);
    listener.awaitCount(1, SOON);
    assertThat(listener.deliveredIds()).containsExactly(id);
    assertThat(database.orders()).containsExactly("A-17");
  }

  @Test
  void transactionsByHand() {
    R2dbcOutbox reactiveOutbox = new R2dbcOutbox(outbox, database.store);
    Connection connection = Mono.from(database.pool.create()).block(SOON);

    // snippet: r2dbc-by-hand
    Mono<Void> placed =
        reactiveOutbox
            .begin(connection)
            .flatMap(
                tx ->
                    insertOrder(connection, "A-17")
                        .then(tx.write("OrderPlaced", "{\"orderId\":\"A-17\"}"))
                        .then(tx.commit())
                        .onErrorResume(e -> tx.rollback().then(Mono.error(e))));
    // end

    placed.block(SOON);
    Mono.from(connection.close()).block(SOON);
    listener.awaitCount(1, SOON);
    assertThat(database.orders()).containsExactly("A-17");
  }

  private static Mono<Long> insertOrder(Connection connection, String id) {
    return Mono.from(
            connection.createStatement("INSERT INTO orders (id) VALUES ($1)").bind(0, id).execute())
        .flatMap(result -> Mono.from(result.getRowsUpdated()));
  }

  @Configuration
  @EnableTransactionManagement
  static class Application {
    // snippet: r2dbc-spring-writer
    @Bean
    ReactiveOutboxWriter reactiveOutboxWriter(
        Outbox outbox, OutboxStore store, ConnectionFactory connectionFactory) {
      return new SpringR2dbcOutboxWriter(new R2dbcOutbox(outbox, store), connectionFactory);
    }

    // end

    @Bean
    ReactiveTransactionManager transactionManager(ConnectionFactory connectionFactory) {
      return new R2dbcTransactionManager(connectionFactory);
    }

    @Bean
    Orders orders(ConnectionFactory connectionFactory, ReactiveOutboxWriter writer) {
      return new Orders(DatabaseClient.create(connectionFactory), writer);
    }
  }

  static class Orders {
    private final DatabaseClient database;
    private final ReactiveOutboxWriter writer;

    Orders(DatabaseClient database, ReactiveOutboxWriter writer) {
      this.database = database;
      this.writer = writer;
    }

    // snippet: r2dbc-spring-service
    @Transactional
    public Mono<String> place(String orderId) {
      return database
          .sql("INSERT INTO orders (id) VALUES (:id)")
          .bind("id", orderId)
          .fetch()
          .rowsUpdated()
          .then(writer.write("OrderPlaced", "{\"orderId\":\"" + orderId + "\"}"));
    }
    // end
  }

  @Test
  void springsTransactions() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      context.registerBean(Outbox.class, () -> outbox);
      context.registerBean(OutboxStore.class, () -> database.store);
      context.registerBean(ConnectionFactory.class, () -> database.pool);
      context.register(Application.class);
      context.refresh();

      String id = context.getBean(Orders.class).place("A-17").block(SOON);

      listener.awaitCount(1, SOON);
      assertThat(listener.deliveredIds()).containsExactly(id);
    }
  }
}
