package io.outbox.spi;

import io.outbox.EventEnvelope;
import io.outbox.model.Lease;
import java.util.Objects;

/**
 * A row to insert.
 *
 * @param lease the lease the row is born with, or null
 * @param late whether it occurred too long ago for other nodes to look there: unless it is delayed
 *     it is due at its insert, by the database's time, and has waited since it occurred
 */
public record NewEvent(EventEnvelope envelope, Lease lease, boolean late) {

  public NewEvent {
    Objects.requireNonNull(envelope, "envelope");
  }

  public NewEvent(EventEnvelope envelope, Lease lease) {
    this(envelope, lease, false);
  }

  public static NewEvent unleased(EventEnvelope envelope) {
    return new NewEvent(envelope, null);
  }
}
