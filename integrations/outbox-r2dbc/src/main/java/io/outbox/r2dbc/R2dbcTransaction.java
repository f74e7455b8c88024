package io.outbox.r2dbc;

import io.outbox.EventEnvelope;
import io.outbox.internal.write.WriteSteps;
import io.r2dbc.spi.Connection;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.publisher.Mono;

/**
 * A transaction on an R2DBC connection, and the writer of its events. Made by {@link R2dbcOutbox}.
 */
public final class R2dbcTransaction implements ReactiveOutboxWriter {

  private final R2dbcOutbox outbox;
  private final Connection connection;
  private final AtomicBoolean active = new AtomicBoolean();
  private final Queue<WriteSteps.Insert> inserts = new ConcurrentLinkedQueue<>();

  R2dbcTransaction(R2dbcOutbox outbox, Connection connection) {
    this.outbox = outbox;
    this.connection = connection;
  }

  /** The connection for the statements that change the data. */
  public Connection connection() {
    return connection;
  }

  Mono<Void> begin() {
    return Mono.defer(
        () -> {
          if (!connection.isAutoCommit()) {
            return Mono.error(
                new IllegalStateException(
                    "the connection is in a transaction already, or not in auto-commit mode: let"
                        + " the outbox begin the transaction"));
          }
          active.set(true);
          return Mono.from(connection.beginTransaction());
        });
  }

  @Override
  public Mono<List<String>> writeAll(List<EventEnvelope> events) {
    List<EventEnvelope> given = List.copyOf(Objects.requireNonNull(events, "events"));
    // The connection may have ended it, behind the back of this object.
    return Mono.defer(
        () ->
            active.get() && !connection.isAutoCommit()
                ? outbox.write(connection, given, inserts::add)
                : Mono.error(ended()));
  }

  /** Commits; then the outbox delivers what was written. */
  public Mono<Void> commit() {
    return Mono.defer(
        () ->
            active.compareAndSet(true, false)
                ? Mono.from(connection.commitTransaction())
                    .doOnError(unknown -> inserts.forEach(WriteSteps.Insert::rolledBack))
                    .doOnSuccess(done -> inserts.forEach(WriteSteps.Insert::committed))
                : Mono.error(ended()));
  }

  /** Rolls back; does nothing if the transaction has ended. */
  public Mono<Void> rollback() {
    return Mono.defer(
        () ->
            active.compareAndSet(true, false)
                ? Mono.from(connection.rollbackTransaction())
                    .doFinally(end -> inserts.forEach(WriteSteps.Insert::rolledBack))
                : Mono.empty());
  }

  private static IllegalStateException ended() {
    return new IllegalStateException(
        "there is no active transaction: it has been committed or rolled back");
  }
}
