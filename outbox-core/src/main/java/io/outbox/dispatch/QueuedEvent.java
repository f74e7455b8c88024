package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.internal.Checks;
import java.util.Objects;

/**
 * An event on its way to a listener.
 *
 * @param attempts the failures so far
 */
public record QueuedEvent(EventEnvelope envelope, Source source, int attempts) {

  /** The path of an event. */
  public enum Source {
    /** Straight from the commit. */
    HOT,
    /** From the database. */
    COLD
  }

  public QueuedEvent {
    Objects.requireNonNull(envelope, "envelope");
    Objects.requireNonNull(source, "source");
    Checks.atLeast(0, "attempts", attempts);
  }
}
