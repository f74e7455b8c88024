package io.outbox.r2dbc;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.internal.write.HasWriteSteps;
import io.outbox.internal.write.WriteSteps;
import io.outbox.jdbc.store.AbstractJdbcOutboxStore;
import io.outbox.spi.NewEvent;
import io.outbox.spi.OutboxStore;
import io.r2dbc.spi.Connection;
import io.r2dbc.spi.ConnectionFactory;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/**
 * Writes events on R2DBC connections into the table of an {@link Outbox}, which delivers them over
 * JDBC. As soon as a transaction has committed, that outbox looks at its table; its interceptors,
 * checks and keys are those of {@link Outbox#writer()}. Thread-safe.
 *
 * <p>With Spring's transactions use {@link SpringR2dbcOutboxWriter}.
 */
public final class R2dbcOutbox {

  private final HasWriteSteps writer;
  private final EventStatements statements;

  /**
   * Writes for {@code outbox}.
   *
   * @param store the one that the outbox was built with
   * @throws IllegalArgumentException if the store is none of the JDBC stores
   */
  public R2dbcOutbox(Outbox outbox, OutboxStore store) {
    this.writer = HasWriteSteps.of(Objects.requireNonNull(outbox, "outbox"));
    if (!(Objects.requireNonNull(store, "store") instanceof AbstractJdbcOutboxStore jdbc)) {
      throw new IllegalArgumentException(
          "R2DBC needs the statements of a JDBC store, such as JdbcOutboxStores.detect(...) finds,"
              + " and "
              + store
              + " has none");
    }
    this.statements = new EventStatements(jdbc);
  }

  /**
   * Runs {@code work} in a transaction on a new connection, which is closed afterwards. Commits
   * when the work completes; rolls back when it fails or is canceled.
   */
  public <T> Mono<T> inTransaction(
      ConnectionFactory connectionFactory, Function<? super R2dbcTransaction, Mono<T>> work) {
    Objects.requireNonNull(connectionFactory, "connectionFactory");
    Objects.requireNonNull(work, "work");
    return Mono.usingWhen(
        Mono.from(connectionFactory.create()).map(this::transaction),
        tx -> tx.begin().then(Mono.defer(() -> work.apply(tx))),
        tx -> thenClose(tx.commit(), tx),
        (tx, failure) -> thenClose(tx.rollback(), tx),
        tx -> thenClose(tx.rollback(), tx));
  }

  private static Mono<Void> thenClose(Mono<Void> end, R2dbcTransaction tx) {
    Mono<Void> close = Mono.defer(() -> Mono.from(tx.connection().close()));
    return end.onErrorResume(failure -> close.then(Mono.error(failure))).then(close);
  }

  /**
   * Runs {@code work} in a transaction on {@code connection}, which stays open. Commits when the
   * work completes; rolls back when it fails or is canceled.
   */
  public <T> Mono<T> inTransaction(
      Connection connection, Function<? super R2dbcTransaction, Mono<T>> work) {
    Objects.requireNonNull(connection, "connection");
    Objects.requireNonNull(work, "work");
    return Mono.usingWhen(
        Mono.fromSupplier(() -> transaction(connection)),
        tx -> tx.begin().then(Mono.defer(() -> work.apply(tx))),
        R2dbcTransaction::commit,
        (tx, failure) -> tx.rollback(),
        R2dbcTransaction::rollback);
  }

  /**
   * Begins a transaction on {@code connection}. End it by {@link R2dbcTransaction#commit()} or
   * {@link R2dbcTransaction#rollback()}, not by the connection's methods: a commit that the outbox
   * does not know of is delivered when the poller looks the next time.
   */
  public Mono<R2dbcTransaction> begin(Connection connection) {
    Objects.requireNonNull(connection, "connection");
    return Mono.defer(
        () -> {
          R2dbcTransaction tx = transaction(connection);
          return tx.begin().thenReturn(tx);
        });
  }

  private R2dbcTransaction transaction(Connection connection) {
    return new R2dbcTransaction(this, connection);
  }

  /**
   * Inserts events on the connection of a transaction.
   *
   * @param inserted is told what to call at the end of the transaction
   */
  Mono<List<String>> write(
      Connection connection, List<EventEnvelope> events, Consumer<WriteSteps.Insert> inserted) {
    WriteSteps steps = writer.steps().withoutMemory();
    List<EventEnvelope> batch = steps.accept(events);
    if (batch.isEmpty()) {
      return Mono.just(List.of());
    }
    List<String> ids = batch.stream().map(EventEnvelope::eventId).toList();
    WriteSteps.Insert insert = steps.insertOf(batch);
    List<NewEvent> rows = insert.prepare();
    return statements
        .insert(connection, rows)
        .doOnError(failure -> insert.failed())
        .then(
            Mono.fromSupplier(
                () -> {
                  insert.inserted();
                  inserted.accept(insert);
                  return ids;
                }));
  }
}
