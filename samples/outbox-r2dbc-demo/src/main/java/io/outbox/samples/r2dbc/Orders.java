package io.outbox.samples.r2dbc;

import io.outbox.r2dbc.ReactiveOutboxWriter;
import org.springframework.r2dbc.core.DatabaseClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import reactor.core.publisher.Mono;

/** Writes an order and its event in one reactive transaction. */
@Service
class Orders {

  private final DatabaseClient database;
  private final ReactiveOutboxWriter writer;

  Orders(DatabaseClient database, ReactiveOutboxWriter writer) {
    this.database = database;
    this.writer = writer;
  }

  Mono<Void> createTable() {
    return database.sql("CREATE TABLE orders (id VARCHAR(64) PRIMARY KEY)").then();
  }

  /** Places an order, if {@code payment} completes. */
  @Transactional("connectionFactoryTransactionManager")
  public Mono<String> place(String orderId, Mono<Void> payment) {
    return database
        .sql("INSERT INTO orders (id) VALUES (:id)")
        .bind("id", orderId)
        .fetch()
        .rowsUpdated()
        .then(writer.write("OrderPlaced", "{\"orderId\":\"" + orderId + "\"}"))
        .flatMap(eventId -> payment.thenReturn(eventId));
  }

  Mono<Long> count() {
    return database.sql("SELECT COUNT(*) FROM orders").map(row -> row.get(0, Long.class)).one();
  }
}
