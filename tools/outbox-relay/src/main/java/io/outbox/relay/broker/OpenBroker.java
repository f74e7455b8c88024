package io.outbox.relay.broker;

import io.outbox.AsyncEventListener;
import io.outbox.EventEnvelope;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * A publisher that is ready to be called. Thread-safe.
 *
 * @param deadLetters null if events that are DEAD go nowhere
 */
public record OpenBroker(
    AsyncEventListener publisher, BiConsumer<EventEnvelope, String> deadLetters, Runnable closing)
    implements AutoCloseable {

  public OpenBroker {
    Objects.requireNonNull(publisher, "publisher");
    Objects.requireNonNull(closing, "closing");
  }

  @Override
  public void close() {
    closing.run();
  }
}
