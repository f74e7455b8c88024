package io.outbox.internal.call;

import io.outbox.internal.queue.Delivery;
import io.outbox.spi.Outcome;
import java.time.Instant;

/** Where workers get events, and where they leave them. Thread-safe. */
public interface WorkQueue<D extends Delivery> {

  /** Waits for the next event; null when there will be none any more. */
  D next() throws InterruptedException;

  /** Whether it is not paused, and still ours for long enough to call its listener. */
  boolean mayStart(D delivery);

  /** Its listener is called now. */
  void started(D delivery);

  /** Its listener has left this thread, whether it has answered or will. */
  default void returned(D delivery) {}

  /** A worker was busy with an event for this long. */
  default void served(long nanos) {}

  /** Leaves an outcome; {@code mayWait} while there are too many. */
  void finished(D delivery, Outcome outcome, boolean mayWait);

  /** It was not delivered, and is read again. */
  void putBack(D delivery);

  /** Its listener cannot be called before {@code at}. */
  void notCalled(D delivery, Instant at);

  /** Whether others may be delivered before an event that cannot be delivered now. Constant. */
  default boolean mayBePassed() {
    return true;
  }

  /**
   * Waits a little for an event that may not be passed.
   *
   * @return false at once if it may be
   * @throws InterruptedException if waiting is of no use any more
   */
  default boolean waitsFor(D delivery) throws InterruptedException {
    return false;
  }
}
