package io.outbox.dispatch;

import io.outbox.internal.engine.DeliveryEngine;

/** For tests that look behind a dispatcher. */
public final class EngineOf {

  private EngineOf() {}

  public static DeliveryEngine dispatcher(OutboxDispatcher dispatcher) {
    return dispatcher.engine();
  }
}
