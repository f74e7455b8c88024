package io.outbox.internal.write;

import io.outbox.Outbox;

/** A writer whose steps other writers may follow. */
public interface HasWriteSteps {

  /** Those of now: they change when delivery is started or stopped. */
  WriteSteps steps();

  /** The steps of the writer of {@code outbox}. */
  static HasWriteSteps of(Outbox outbox) {
    return (HasWriteSteps) outbox.writer();
  }
}
