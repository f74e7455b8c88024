package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.internal.Checks;
import java.util.Objects;

/** An event on its way to a listener. Immutable. */
public final class QueuedEvent {

  /** The path of an event. */
  public enum Source {
    /** Straight from the commit. */
    HOT,
    /** From the database. */
    COLD
  }

  private final EventEnvelope envelope;
  private final Source source;
  private final int attempts;

  /**
   * Creates a queue element.
   *
   * @param attempts the failures so far
   */
  public QueuedEvent(EventEnvelope envelope, Source source, int attempts) {
    this.envelope = Objects.requireNonNull(envelope, "envelope");
    this.source = Objects.requireNonNull(source, "source");
    this.attempts = Checks.atLeast(0, "attempts", attempts);
  }

  public EventEnvelope envelope() {
    return envelope;
  }

  public Source source() {
    return source;
  }

  public int attempts() {
    return attempts;
  }
}
