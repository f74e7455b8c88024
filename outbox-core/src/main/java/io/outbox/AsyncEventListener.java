package io.outbox;

import io.outbox.internal.AsyncListener;
import java.util.concurrent.CompletionStage;

/**
 * An {@link EventListener} that answers later: it starts the work, for example sends to a broker,
 * and its worker goes on to the next event at once. Many are in flight at the same time, at most
 * {@code maxInFlight} per listener.
 *
 * <p>The answer counts as the return of an {@link EventListener} does: a result, or null for {@link
 * DispatchResult#done()}; an exceptional completion is a failure. An answer that never comes keeps
 * its place until the {@code listenerTimeout}, so set one unless the work itself is bounded. {@link
 * io.outbox.dispatch.EventInterceptor#afterDispatch} runs on the thread that completes the answer.
 */
@FunctionalInterface
public interface AsyncEventListener {

  /**
   * Starts to handle one event. What it throws is a failure of this event, as if the answer were
   * exceptional.
   *
   * @return the answer to come, never null
   */
  CompletionStage<DispatchResult> onEvent(EventEnvelope envelope) throws Exception;

  /** This listener in the form that any registry takes; the outbox does not wait for it. */
  default EventListener asEventListener() {
    return new AsyncListener(this);
  }
}
