package io.outbox.r2dbc;

import io.outbox.EventEnvelope;
import io.outbox.internal.write.WriteSteps;
import io.r2dbc.spi.ConnectionFactory;
import java.util.List;
import java.util.Objects;
import org.springframework.r2dbc.connection.ConnectionHolder;
import org.springframework.transaction.NoTransactionException;
import org.springframework.transaction.reactive.TransactionSynchronization;
import org.springframework.transaction.reactive.TransactionSynchronizationManager;
import reactor.core.publisher.Mono;

/**
 * Writes events in Spring's reactive transactions: those of {@code TransactionalOperator} and of
 * {@code @Transactional}, by a {@code R2dbcTransactionManager}. Needs spring-r2dbc. Thread-safe.
 */
public final class SpringR2dbcOutboxWriter implements ReactiveOutboxWriter {

  private final R2dbcOutbox outbox;
  private final ConnectionFactory connectionFactory;

  /**
   * Writes for {@code outbox}.
   *
   * @param connectionFactory the one that the transaction manager was made with
   */
  public SpringR2dbcOutboxWriter(R2dbcOutbox outbox, ConnectionFactory connectionFactory) {
    this.outbox = Objects.requireNonNull(outbox, "outbox");
    this.connectionFactory = Objects.requireNonNull(connectionFactory, "connectionFactory");
  }

  @Override
  public Mono<List<String>> writeAll(List<EventEnvelope> events) {
    List<EventEnvelope> given = List.copyOf(Objects.requireNonNull(events, "events"));
    return TransactionSynchronizationManager.forCurrentTransaction()
        .onErrorMap(NoTransactionException.class, SpringR2dbcOutboxWriter::noTransaction)
        .flatMap(tx -> write(tx, given));
  }

  private Mono<List<String>> write(
      TransactionSynchronizationManager tx, List<EventEnvelope> events) {
    if (!tx.isActualTransactionActive() || !tx.isSynchronizationActive()) {
      return Mono.error(noTransaction(null));
    }
    // A connection that only takes part in the scope of another transaction commits by itself.
    if (!(tx.getResource(connectionFactory) instanceof ConnectionHolder holder)
        || holder.getConnection().isAutoCommit()) {
      return Mono.error(
          new IllegalStateException(
              "the active transaction is of another ConnectionFactory than "
                  + connectionFactory
                  + ", or the database has ended it: write events in the transaction that changes"
                  + " the data"));
    }
    if (tx.isCurrentTransactionReadOnly()) {
      return Mono.error(
          new IllegalStateException(
              "the transaction is read-only: events can only be written in a transaction that may"
                  + " write"));
    }
    return outbox.write(
        holder.getConnection(), events, insert -> tx.registerSynchronization(new AtTheEnd(insert)));
  }

  private static IllegalStateException noTransaction(Throwable cause) {
    return new IllegalStateException(
        "there is no active transaction: write events inside the transaction that changes the data",
        cause);
  }

  /** A rollback to a savepoint does no harm: after the commit delivery looks at the table. */
  private record AtTheEnd(WriteSteps.Insert insert) implements TransactionSynchronization {

    @Override
    public Mono<Void> afterCommit() {
      return Mono.fromRunnable(insert::committed);
    }

    @Override
    public Mono<Void> afterCompletion(int status) {
      return status == STATUS_COMMITTED ? Mono.empty() : Mono.fromRunnable(insert::rolledBack);
    }
  }
}
