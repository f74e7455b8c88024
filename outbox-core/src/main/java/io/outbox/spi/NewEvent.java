package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.Lease;
import java.util.Objects;

/**
 * A row to insert.
 *
 * @param lease the lease the row is born with, or null
 */
public record NewEvent(EventEnvelope envelope, Lease lease) {

  public NewEvent {
    Objects.requireNonNull(envelope, "envelope");
  }

  public static NewEvent unleased(EventEnvelope envelope) {
    return new NewEvent(envelope, null);
  }
}
