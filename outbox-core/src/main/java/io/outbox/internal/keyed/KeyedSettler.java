package io.outbox.internal.keyed;

import io.outbox.internal.lanes.OwnedLanes;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.internal.record.OutcomeSettler;
import io.outbox.spi.Outcome;
import java.time.Instant;
import java.util.function.Supplier;

/** What follows from an outcome for its key and its lane. */
public final class KeyedSettler implements OutcomeRecorder.Listener<KeyedDelivery> {

  private final OutcomeSettler settler;
  private final KeyQueues queues;
  private final OwnedLanes lanes;
  private final Supplier<Instant> again;

  /**
   * @param again when to read the key of an event whose outcome is lost
   */
  public KeyedSettler(
      OutcomeSettler settler, KeyQueues queues, OwnedLanes lanes, Supplier<Instant> again) {
    this.settler = settler;
    this.queues = queues;
    this.lanes = lanes;
    this.again = again;
  }

  @Override
  public void written(KeyedDelivery delivery, Outcome outcome) {
    try {
      settler.written(delivery, outcome); // its key may be read at once: it is not held any more
    } finally {
      queues.written(delivery, outcome);
      lanes.leave(delivery.lane());
    }
  }

  @Override
  public void abandoned(KeyedDelivery delivery, Outcome outcome) {
    try {
      settler.abandoned(delivery, outcome);
    } finally {
      queues.abandoned(delivery, again.get());
      lanes.leave(delivery.lane());
    }
  }

  @Override
  public void batchEnded() {
    settler.batchEnded();
  }
}
