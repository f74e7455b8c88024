package io.outbox.r2dbc;

import io.outbox.EventEnvelope;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;

/**
 * Writes events in a reactive transaction. Nothing is written before the returned {@link Mono} is
 * subscribed to; compose it into the pipeline of the transaction.
 *
 * <p>Every method fails with {@link IllegalStateException} without a transaction to write in, and
 * with {@link io.outbox.jdbc.OutboxStoreException} if the database refuses; nothing is written
 * then. Implementations are safe for use by many threads, but a connection runs one statement after
 * the other.
 */
public interface ReactiveOutboxWriter {

  /**
   * Writes one event.
   *
   * @return its id
   */
  default Mono<String> write(EventEnvelope event) {
    return writeAll(List.of(Objects.requireNonNull(event, "event"))).flatMapIterable(x -> x).next();
  }

  /**
   * Writes an event of the given type, a new one for every subscription.
   *
   * @return its id
   */
  default Mono<String> write(String eventType, String payloadJson) {
    return Mono.defer(() -> write(EventEnvelope.ofJson(eventType, payloadJson)));
  }

  /**
   * Writes all of them or, if it fails, none.
   *
   * @return the ids written, in order
   */
  Mono<List<String>> writeAll(List<EventEnvelope> events);
}
