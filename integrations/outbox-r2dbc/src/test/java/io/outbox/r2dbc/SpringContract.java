package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.testdb.TestDatabase;
import io.r2dbc.spi.ConnectionFactory;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.r2dbc.connection.ConnectionFactoryUtils;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.reactive.TransactionalOperator;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import reactor.core.publisher.Mono;

/** Spring's reactive transactions. */
abstract class SpringContract extends ReactiveWriterContract {

  SpringContract(TestDatabase kind) {
    super(kind);
  }

  @Override
  <T> Mono<T> inTransaction(
      R2dbcOutbox outbox, ConnectionFactory connections, Function<Tx, Mono<T>> work) {
    DatabaseClient client = DatabaseClient.create(connections);
    Tx tx =
        new Tx(
            new SpringR2dbcOutboxWriter(outbox, connections),
            sql -> client.sql(sql).fetch().rowsUpdated());
    return operator(new DefaultTransactionDefinition(), connections)
        .transactional(Mono.defer(() -> work.apply(tx)));
  }

  private static TransactionalOperator operator(
      TransactionDefinition definition, ConnectionFactory connections) {
    return TransactionalOperator.create(new R2dbcTransactionManager(connections), definition);
  }

  private static DefaultTransactionDefinition propagation(int propagation) {
    return new DefaultTransactionDefinition(propagation);
  }

  /** A service as an application has it. */
  static class Orders {
    private final DatabaseClient client;
    private final ReactiveOutboxWriter writer;

    Orders(ConnectionFactory connections, ReactiveOutboxWriter writer) {
      this.client = DatabaseClient.create(connections);
      this.writer = writer;
    }

    @Transactional
    public Mono<String> place(String id) {
      return client
          .sql("INSERT INTO orders (id) VALUES ('" + id + "')")
          .fetch()
          .rowsUpdated()
          .then(writer.write("OrderPlaced", "{}"))
          .flatMap(
              eventId ->
                  id.startsWith("bad")
                      ? Mono.error(new IllegalArgumentException(id))
                      : Mono.just(eventId));
    }
  }

  @Configuration
  @EnableTransactionManagement(proxyTargetClass = true)
  static class Transactions {
    @Bean
    ReactiveTransactionManager transactionManager(ConnectionFactory connections) {
      return new R2dbcTransactionManager(connections);
    }

    @Bean
    Orders orders(ConnectionFactory connections, ReactiveOutboxWriter writer) {
      return new Orders(connections, writer);
    }
  }

  @Test
  void transactionalMethodsAreJoined() {
    try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
      R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);
      context.registerBean(ConnectionFactory.class, database::connectionFactory);
      context.registerBean(
          ReactiveOutboxWriter.class,
          () -> new SpringR2dbcOutboxWriter(reactive, context.getBean(ConnectionFactory.class)));
      context.register(Transactions.class);
      context.refresh();
      Orders orders = context.getBean(Orders.class);

      assertThatThrownBy(() -> orders.place("bad-1").block(SOON))
          .isInstanceOf(IllegalArgumentException.class);
      String id = orders.place("A-1").block(SOON);

      delivered.awaitCount(1, SOON);
      assertThat(delivered.deliveredIds()).containsExactly(id);
      assertThat(database.orders()).containsExactly("A-1");
      assertThat(database.eventIds()).containsExactly(id);
    }
  }

  @Test
  void aSuspendedTransactionGoesOnWithoutTheEventsOfTheInnerOne() {
    assertThatTheOuterOneIsDelivered(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
  }

  @Test
  void R2_whatIsRolledBackToASavepointIsNotDelivered() {
    assertThatTheOuterOneIsDelivered(TransactionDefinition.PROPAGATION_NESTED);
  }

  private void assertThatTheOuterOneIsDelivered(int propagationOfTheFailingOne) {
    ReactiveOutboxWriter writer =
        new SpringR2dbcOutboxWriter(new R2dbcOutbox(outbox, database.store), database.pool);
    TransactionalOperator inner = operator(propagation(propagationOfTheFailingOne), database.pool);

    String outerId =
        operator(propagation(TransactionDefinition.PROPAGATION_REQUIRED), database.pool)
            .transactional(
                inner
                    .transactional(
                        writer.write("Inner", "{}").then(Mono.<String>error(new Failure())))
                    .onErrorResume(Failure.class, e -> Mono.just("failed"))
                    .then(writer.write("Outer", "{}")))
            .block(SOON);

    delivered.awaitCount(1, SOON);
    assertThat(delivered.deliveredIds()).containsExactly(outerId);
    assertThat(database.eventIds()).containsExactly(outerId);
  }

  @Test
  void anInnerTransactionThatCommitsIsDeliveredThoughTheOuterOneIsRolledBack() {
    ReactiveOutboxWriter writer =
        new SpringR2dbcOutboxWriter(new R2dbcOutbox(outbox, database.store), database.pool);
    String[] innerId = {null};
    TransactionalOperator inner =
        operator(propagation(TransactionDefinition.PROPAGATION_REQUIRES_NEW), database.pool);

    assertThatThrownBy(
            () ->
                operator(propagation(TransactionDefinition.PROPAGATION_REQUIRED), database.pool)
                    .transactional(
                        writer
                            .write("Outer", "{}")
                            .then(inner.transactional(writer.write("Inner", "{}")))
                            .doOnNext(id -> innerId[0] = id)
                            .then(Mono.error(new Failure())))
                    .block(SOON))
        .isInstanceOf(Failure.class);

    delivered.awaitCount(1, SOON);
    assertThat(delivered.deliveredIds()).containsExactly(innerId[0]);
    assertThat(database.eventIds()).containsExactly(innerId[0]);
  }

  @Test
  void R16_withoutTheRightTransactionNothingIsWritten() {
    ReactiveOutboxWriter writer =
        new SpringR2dbcOutboxWriter(new R2dbcOutbox(outbox, database.store), database.pool);
    Mono<String> write = writer.write("OrderPlaced", "{}");
    DefaultTransactionDefinition readOnly = new DefaultTransactionDefinition();
    readOnly.setReadOnly(true);

    assertThatThrownBy(() -> write.block(SOON))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no active transaction");
    assertThatThrownBy(
            () ->
                operator(propagation(TransactionDefinition.PROPAGATION_SUPPORTS), database.pool)
                    .transactional(write)
                    .block(SOON))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no active transaction");
    assertThatThrownBy(() -> operator(readOnly, database.pool).transactional(write).block(SOON))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("read-only");
    assertThatThrownBy(
            () ->
                operator(new DefaultTransactionDefinition(), database.connectionFactory())
                    .transactional(write)
                    .block(SOON))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another ConnectionFactory");
    assertThatThrownBy(
            () ->
                operator(new DefaultTransactionDefinition(), database.connectionFactory())
                    .transactional(ConnectionFactoryUtils.getConnection(database.pool).then(write))
                    .block(SOON))
        .as("a connection that was used in the other transaction, in auto-commit mode")
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("another ConnectionFactory");
    assertThat(database.eventIds()).isEmpty();
    assertThat(delivered.count()).isZero();
  }

  private static final class Failure extends RuntimeException {}
}
