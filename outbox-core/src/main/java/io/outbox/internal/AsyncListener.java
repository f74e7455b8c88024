package io.outbox.internal;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** An asynchronous listener in a registry of listeners. The engine knows it and does not wait. */
public record AsyncListener(AsyncEventListener listener) implements EventListener {

  public AsyncListener {
    Objects.requireNonNull(listener, "listener");
  }

  /** The user's listener behind one in a registry. */
  public static Object plain(EventListener listener) {
    return listener instanceof AsyncListener async ? async.listener : listener;
  }

  /** Starts the work. */
  public CompletionStage<DispatchResult> start(EventEnvelope envelope) throws Exception {
    return Objects.requireNonNull(
        listener.onEvent(envelope), "an asynchronous listener must not return null");
  }

  /** For callers that know nothing of asynchronous listeners: waits for the answer. */
  @Override
  public DispatchResult onEvent(EventEnvelope envelope) throws Exception {
    try {
      return start(envelope).toCompletableFuture().get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    }
  }
}
