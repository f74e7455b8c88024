package io.outbox.tracing;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.publish.Addressed;
import io.outbox.publish.Destination;
import java.util.concurrent.CompletionStage;

/** A publisher that sends inside a span, and passes that span's context on. */
final class TracedPublisher implements AsyncEventListener, Addressed {

  private final OutboxTracing tracing;
  private final String system;
  private final Destination destination;
  private final AsyncEventListener publisher;

  TracedPublisher(
      OutboxTracing tracing, String system, Destination destination, AsyncEventListener publisher) {
    this.tracing = tracing;
    this.system = system;
    this.destination = destination;
    this.publisher = publisher;
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) throws Exception {
    TracedCall call = tracing.send(event, system, destination);
    if (call == null) {
      return publisher.onEvent(event);
    }
    CompletionStage<DispatchResult> answer;
    try {
      answer = publisher.onEvent(call.event());
    } catch (Throwable e) {
      ended(call, null, e);
      throw e;
    } finally {
      returned(call);
    }
    if (answer == null) {
      ended(call, null, new NullPointerException("the publisher returned null"));
    } else {
      answer.whenComplete((result, failure) -> ended(call, result, failure));
    }
    return answer; // itself, so that its cancellation reaches the publisher
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return publisher instanceof Addressed addressed ? addressed.destinationOf(event) : null;
  }

  /** For operators. */
  @Override
  public String toString() {
    return publisher.getClass().getSimpleName();
  }

  private void returned(TracedCall call) {
    tracing.attempt(
        () -> {
          call.returned();
          return call;
        });
  }

  private void ended(TracedCall call, DispatchResult result, Throwable failure) {
    tracing.attempt(
        () -> {
          call.ended(result, failure);
          return call;
        });
  }
}
