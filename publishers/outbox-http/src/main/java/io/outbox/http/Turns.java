package io.outbox.http;

import java.net.http.HttpTimeoutException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Lets some requests run at the same time; the others wait for their turn, in order, and not longer
 * than a request may take. Thread-safe.
 */
final class Turns<T> {

  private static final int MAX_WAITING = 10_000;

  private final class Request {
    private final Supplier<? extends CompletionStage<T>> start;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private final long since = System.nanoTime();

    private Request(Supplier<? extends CompletionStage<T>> start) {
      this.start = start;
    }
  }

  private final int max;
  private final Duration patience;
  private final Deque<Request> waiting = new ArrayDeque<>();
  private int running;

  Turns(int max, Duration patience) {
    this.max = max;
    this.patience = patience;
  }

  /** Starts it now or later; it fails if its turn does not come in time. */
  CompletableFuture<T> take(Supplier<? extends CompletionStage<T>> start) {
    Request request = new Request(start);
    synchronized (this) {
      if (waiting.size() < MAX_WAITING) {
        waiting.add(request);
      } else {
        request.answer.completeExceptionally(new HttpTimeoutException("too many requests wait"));
      }
    }
    startNext();
    return request.answer;
  }

  /** In a loop, not one inside the other: those that fail at once may be many. */
  private void startNext() {
    for (Request request = next(); request != null; request = next()) {
      run(request);
    }
  }

  private void run(Request request) {
    CompletableFuture<T> sent = start(request);
    if (sent.isDone()) {
      ended();
      answer(request, sent);
    } else {
      sent.whenComplete(
          (result, failure) -> {
            ended();
            startNext();
            answer(request, sent);
          });
    }
  }

  private synchronized Request next() {
    if (running >= max || waiting.isEmpty()) {
      return null;
    }
    running++;
    return waiting.remove();
  }

  private synchronized void ended() {
    running--;
  }

  private CompletableFuture<T> start(Request request) {
    if (System.nanoTime() - request.since > patience.toNanos()) {
      return CompletableFuture.failedFuture(new HttpTimeoutException("its turn did not come"));
    }
    try {
      return request.start.get().toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void answer(Request request, CompletableFuture<T> sent) {
    sent.whenComplete(
        (result, failure) -> {
          if (failure == null) {
            request.answer.complete(result);
          } else {
            request.answer.completeExceptionally(failure);
          }
        });
  }
}
