package io.outbox.internal.publish;

import io.outbox.DispatchResult;
import io.outbox.OutageException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** A broker's answer to one event, still to come. The first one counts. Thread-safe. */
public final class Answer {

  private static final Duration WHEN_FULL = Duration.ofMillis(100);

  private final String eventId;
  private final long startNanos = System.nanoTime();
  private final CompletableFuture<DispatchResult> future = new CompletableFuture<>();

  public Answer(String eventId) {
    this.eventId = Objects.requireNonNull(eventId, "eventId");
  }

  /** The failure itself, without what futures and clients wrap around it. */
  public static Throwable unwrap(Throwable failure) {
    Throwable cause = Objects.requireNonNull(failure, "failure");
    while (cause.getCause() != null
        && (cause instanceof CompletionException || cause.getClass() == RuntimeException.class)) {
      cause = cause.getCause();
    }
    return cause;
  }

  public CompletableFuture<DispatchResult> future() {
    return future;
  }

  public boolean isOlderThan(Duration age) {
    return System.nanoTime() - startNanos > age.toNanos();
  }

  public void done() {
    result(DispatchResult.done());
  }

  /** The client has as many events on their way as it takes. */
  public void full() {
    result(DispatchResult.retryAfter(WHEN_FULL));
  }

  public void result(DispatchResult result) {
    future.complete(result);
  }

  public void fail(Throwable failure) {
    future.completeExceptionally(failure);
  }

  public void outage(String message, Throwable cause) {
    fail(new OutageException(message, cause));
  }

  /** The broker did not answer in time. */
  public void overdue(String broker, Duration limit) {
    outage(broker + " did not acknowledge event " + eventId + " within " + limit, null);
  }
}
