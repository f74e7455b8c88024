package io.outbox.micronaut.listeners;

import io.micronaut.context.annotation.Requires;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.annotation.OutboxListener;
import jakarta.inject.Singleton;

/** A class that is a listener. */
@Singleton
@Requires(property = "spec", value = "kinds")
@OutboxListener("OnClass")
public class OnClass implements EventListener {

  private final Heard heard;

  public OnClass(Heard heard) {
    this.heard = heard;
  }

  @Override
  public DispatchResult onEvent(EventEnvelope event) {
    heard.add("OnClass", event.payloadJson());
    return DispatchResult.done();
  }

  /** Not a listener, though it is public. */
  public int other(int number) {
    return number;
  }
}
