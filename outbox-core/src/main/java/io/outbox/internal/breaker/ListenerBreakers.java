package io.outbox.internal.breaker;

import io.outbox.EventEnvelope;
import io.outbox.OutageException;
import io.outbox.spi.MemberDetail.Outage;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;

/**
 * The way of events to one listener: past the breaker of their destination, then past that of the
 * listener. Thread-safe.
 */
public record ListenerBreakers(CircuitBreaker listener, DestinationBreakers destinations) {

  /** Outages of the listener and its destinations, for people. */
  List<Outage> outages(Object called, Instant now) {
    return Stream.concat(
            Stream.ofNullable(listener.outage(called, now)),
            destinations.missing().stream().map(breaker -> breaker.outage(called, now)))
        .toList();
  }

  /** Whether this event may be called now; if so, its call or {@link #notCalled} follows. */
  public boolean letsThrough(EventEnvelope event) {
    if (!destinations.letsThrough(event)) {
      return false;
    }
    if (listener.letsThrough(event)) {
      return true;
    }
    destinations.notCalled(event);
    return false;
  }

  /** What was let through did not come to the listener. */
  public void notCalled(EventEnvelope event) {
    listener.notCalled(event);
    destinations.notCalled(event);
  }

  /** The listener gave an answer of whatever kind. */
  public void answered(EventEnvelope event) {
    listener.answered();
    destinations.answered(event);
  }

  /** The call of an event was given up without an answer. */
  public void unanswered(EventEnvelope event) {
    listener.unanswered(event);
    destinations.unanswered(event);
  }

  /**
   * The listener or its destination is down.
   *
   * @param mayBeAlone false if no other event may be called before this one
   * @return how long the event should wait
   */
  public Duration failed(EventEnvelope event, boolean mayBeAlone, OutageException reason) {
    if (reason.destination() == null) {
      destinations.notCalled(event);
      return listener.failed(event, mayBeAlone, reason);
    }
    listener.answered(); // to say so, somebody must be there
    return destinations.failed(event, reason);
  }
}
