package io.outbox.micronaut.listeners;

import io.micronaut.context.annotation.Requires;
import io.outbox.BoundEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import jakarta.inject.Singleton;

/** A listener that names its events itself. */
@Singleton
@Requires(property = "spec", value = "kinds")
public class Bound extends BoundEventListener {

  private final Heard heard;

  public Bound(Heard heard) {
    super("Order", "Bound");
    this.heard = heard;
  }

  @Override
  public DispatchResult onEvent(EventEnvelope event) {
    heard.add("Bound", event.aggregateId());
    return DispatchResult.done();
  }
}
