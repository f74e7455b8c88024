package io.outbox.nats;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import java.util.concurrent.CompletableFuture;

/** The answer to one event, still to come. It is given once, whoever is first. Thread-safe. */
final class Answer {

  private final String eventId;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<DispatchResult> future = new CompletableFuture<>();

  Answer(String eventId) {
    this.eventId = eventId;
  }

  String eventId() {
    return eventId;
  }

  CompletableFuture<DispatchResult> future() {
    return future;
  }

  long ageNanos() {
    return System.nanoTime() - startNanos;
  }

  void done() {
    future.complete(DispatchResult.done());
  }

  void result(DispatchResult result) {
    future.complete(result);
  }

  void fail(Throwable failure) {
    future.completeExceptionally(failure);
  }

  void outage(String message, Throwable cause) {
    fail(new OutageException(message, cause));
  }
}
