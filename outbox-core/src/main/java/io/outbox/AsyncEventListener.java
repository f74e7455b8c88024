package io.outbox;

import io.outbox.internal.AsyncListener;
import java.util.concurrent.CompletionStage;

/**
 * An async listener: it starts the work, for example sends to a broker, and frees its worker at
 * once. Many calls are in flight at the same time, at most {@code maxInFlight} per listener.
 *
 * <p>The completed result is handled like the returned one of an {@link EventListener}: null means
 * {@link DispatchResult#done()}, and an exceptional completion is a failure. A call that never
 * completes keeps its place until the {@code listenerTimeout}, so set one unless the work itself is
 * bounded. {@link io.outbox.dispatch.EventInterceptor#afterDispatch} runs on the thread that
 * completes the call.
 */
@FunctionalInterface
public interface AsyncEventListener {

  /**
   * Starts to handle one event. An exception is a failure of this event, like an exceptional
   * completion.
   *
   * @return completes with the result; never null
   */
  CompletionStage<DispatchResult> onEvent(EventEnvelope envelope) throws Exception;

  /**
   * This listener as an {@link EventListener}, for any registry; the outbox still calls it
   * asynchronously.
   */
  default EventListener asEventListener() {
    return new AsyncListener(this);
  }
}
