package io.outbox.dispatch;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;

/** No listener is registered for an event; it becomes DEAD at once. */
public class UnroutableEventException extends UnrecoverableException {

  private static final long serialVersionUID = 1L;

  public UnroutableEventException(String message) {
    super(message);
  }

  static UnroutableEventException noListenerFor(EventEnvelope event) {
    return new UnroutableEventException(
        "no listener is registered for aggregate type '"
            + event.aggregateType()
            + "' and event type '"
            + event.eventType()
            + "'; register one, or a default listener, and replay the event");
  }
}
