package io.outbox.dispatch;

import io.outbox.internal.engine.PolledQueue;

/** For tests that look behind a dispatcher. */
public final class EngineOf {

  private EngineOf() {}

  public static PolledQueue dispatcher(OutboxDispatcher dispatcher) {
    return dispatcher.queue();
  }
}
