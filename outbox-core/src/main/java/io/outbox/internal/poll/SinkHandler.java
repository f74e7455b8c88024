package io.outbox.internal.poll;

import io.outbox.EventEnvelope;
import io.outbox.poller.OutboxPollerHandler;

/** The published handler of a sink. Our own poller looks behind it. */
public class SinkHandler implements OutboxPollerHandler {

  private final PollSink sink;

  public SinkHandler(PollSink sink) {
    this.sink = sink;
  }

  /** What is behind a handler; null of a user's own. */
  public static PollSink sinkOf(OutboxPollerHandler handler) {
    return handler instanceof SinkHandler ours ? ours.sink : null;
  }

  @Override
  public boolean handle(EventEnvelope event, int attempts) {
    return sink.handle(event, attempts);
  }

  @Override
  public int availableCapacity() {
    return sink.availableCapacity();
  }
}
