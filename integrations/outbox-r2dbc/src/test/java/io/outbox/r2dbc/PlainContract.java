package io.outbox.r2dbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.InMemoryOutboxStore;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import io.r2dbc.spi.Result;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Transactions that the outbox runs on plain R2DBC connections. */
abstract class PlainContract extends ReactiveWriterContract {

  PlainContract(TestDatabase kind) {
    super(kind);
  }

  @Override
  <T> Mono<T> inTransaction(
      R2dbcOutbox outbox, ConnectionFactory connections, Function<Tx, Mono<T>> work) {
    return outbox.inTransaction(
        connections, tx -> work.apply(new Tx(tx, sql -> execute(tx.connection(), sql))));
  }

  static Mono<Long> execute(Connection connection, String sql) {
    return Flux.defer(() -> connection.createStatement(sql).execute())
        .concatMap(Result::getRowsUpdated)
        .next();
  }

  private <T> T withConnection(Function<Connection, Mono<T>> work) {
    return Mono.usingWhen(database.pool.create(), work, Connection::close).block(SOON);
  }

  @Test
  void aConnectionOfYoursStaysOpenForTheNextTransaction() {
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);
    withConnection(
        connection ->
            reactive
                .inTransaction(connection, tx -> tx.write("First", "{}"))
                .then(reactive.inTransaction(connection, tx -> tx.write("Second", "{}"))));

    delivered.awaitCount(2, SOON);
  }

  @Test
  void aTransactionIsBegunAndEndedByHand() {
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);
    String id =
        withConnection(
            connection ->
                reactive
                    .begin(connection)
                    .flatMap(tx -> tx.write("Lost", "{}").then(tx.rollback()))
                    .then(reactive.begin(connection))
                    .flatMap(
                        tx -> tx.write("Kept", "{}").flatMap(it -> tx.commit().thenReturn(it))));

    delivered.awaitCount(1, SOON);
    assertThat(delivered.deliveredIds()).containsExactly(id);
    assertThat(database.eventIds()).containsExactly(id);
  }

  @Test
  void R1_aCommitThatTheOutboxDoesNotKnowOfIsFoundByThePoller() {
    outbox.close();
    outbox =
        database
            .configured(Outbox.multiNode(), delivered)
            .intervalMs(100)
            .claimLocking(Duration.ofMinutes(5))
            .build();
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);

    String id =
        withConnection(
            connection ->
                reactive
                    .begin(connection)
                    .flatMap(tx -> tx.write("Unseen", "{}"))
                    .flatMap(it -> Mono.from(connection.commitTransaction()).thenReturn(it)));

    delivered.awaitCount(1, SOON);
    assertThat(delivered.deliveredIds()).containsExactly(id);
  }

  @Test
  void R16_afterTheEndOfTheTransactionNothingIsWritten() {
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);
    assertThatThrownBy(
            () ->
                withConnection(
                    connection ->
                        reactive
                            .begin(connection)
                            .flatMap(tx -> tx.commit().then(tx.write("Late", "{}")))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no active transaction");
    assertThatThrownBy(
            () ->
                withConnection(
                    connection ->
                        reactive.begin(connection).flatMap(tx -> tx.rollback().then(tx.commit()))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no active transaction");
    assertThat(database.eventIds()).isEmpty();
  }

  @Test
  void R16_afterTheConnectionHasEndedTheTransactionNothingIsWritten() {
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);
    List<Function<Connection, Publisher<Void>>> ends =
        List.of(Connection::commitTransaction, Connection::rollbackTransaction);
    for (Function<Connection, Publisher<Void>> end : ends) {
      assertThatThrownBy(
              () ->
                  withConnection(
                      connection ->
                          reactive
                              .begin(connection)
                              .flatMap(
                                  tx ->
                                      execute(connection, "DELETE FROM orders")
                                          .then(Mono.from(end.apply(connection)))
                                          .then(tx.write("Late", "{}")))))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no active transaction");
    }
    assertThat(database.eventIds()).isEmpty();
  }

  @Test
  void aWorkThatEndsItsTransactionIsTold() {
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);
    assertThatThrownBy(
            () -> reactive.inTransaction(database.pool, R2dbcTransaction::rollback).block(SOON))
        .hasStackTraceContaining("no active transaction");
  }

  @Test
  void R17_whatIsMissingOrDoesNotFitIsRefused() {
    R2dbcOutbox reactive = new R2dbcOutbox(outbox, database.store);

    assertThatThrownBy(() -> new R2dbcOutbox(null, database.store)).hasMessage("outbox");
    assertThatThrownBy(() -> new R2dbcOutbox(outbox, null)).hasMessage("store");
    assertThatThrownBy(() -> new R2dbcOutbox(outbox, new InMemoryOutboxStore()))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("JdbcOutboxStores");
    assertThatThrownBy(() -> reactive.begin(null)).hasMessage("connection");
    assertThatThrownBy(() -> reactive.inTransaction((Connection) null, tx -> Mono.empty()))
        .hasMessage("connection");
    assertThatThrownBy(() -> reactive.inTransaction(database.pool, null)).hasMessage("work");
    assertThatThrownBy(
            () ->
                reactive
                    .inTransaction(database.pool, tx -> tx.write((EventEnvelope) null))
                    .block(SOON))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("event");
    assertThatThrownBy(
            () -> reactive.inTransaction(database.pool, tx -> tx.writeAll(null)).block(SOON))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("events");
    assertThat(database.eventIds()).isEmpty();
  }
}
