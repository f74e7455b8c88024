package io.outbox.dispatch;

import io.outbox.internal.poll.SinkHandler;
import java.util.Objects;

/** Hands polled events to a dispatcher's cold queue. For one poller. */
@SuppressWarnings("exports") // the poller looks for more than the published handler
public final class DispatcherPollerHandler extends SinkHandler {

  public DispatcherPollerHandler(OutboxDispatcher dispatcher) {
    super(Objects.requireNonNull(dispatcher, "dispatcher").queue().sink());
  }
}
