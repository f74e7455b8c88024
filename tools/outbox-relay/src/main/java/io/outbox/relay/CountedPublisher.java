package io.outbox.relay;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.publish.Addressed;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** A broker's publisher, and who is told of the events that the broker has acknowledged. */
final class CountedPublisher implements AsyncEventListener, Addressed {

  private final String name;
  private final AsyncEventListener publisher;
  private final Consumer<EventEnvelope> acknowledged;

  /**
   * @param name of the broker, for operators
   */
  CountedPublisher(
      String name, AsyncEventListener publisher, Consumer<EventEnvelope> acknowledged) {
    this.name = name;
    this.publisher = publisher;
    this.acknowledged = acknowledged;
  }

  @Override
  public CompletionStage<DispatchResult> onEvent(EventEnvelope event) throws Exception {
    return publisher
        .onEvent(event)
        .whenComplete(
            (result, failure) -> {
              if (failure == null && (result == null || result instanceof DispatchResult.Done)) {
                acknowledged.accept(event);
              }
            });
  }

  @Override
  public String toString() {
    return name;
  }

  @Override
  public String destinationOf(EventEnvelope event) {
    return publisher instanceof Addressed addressed ? addressed.destinationOf(event) : null;
  }
}
