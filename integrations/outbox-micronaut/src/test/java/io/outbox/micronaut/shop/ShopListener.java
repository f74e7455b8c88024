package io.outbox.micronaut.shop;

import io.micronaut.context.annotation.Requires;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.annotation.OutboxListener;
import io.outbox.testing.RecordingListener;
import jakarta.inject.Singleton;

/** Passes events to the test. */
@Singleton
@Requires(property = "spec", value = "shop")
public class ShopListener {

  private final RecordingListener recording;

  public ShopListener(RecordingListener recording) {
    this.recording = recording;
  }

  @OutboxListener("OrderPlaced")
  public DispatchResult onOrderPlaced(EventEnvelope event) throws Exception {
    return recording.onEvent(event);
  }
}
