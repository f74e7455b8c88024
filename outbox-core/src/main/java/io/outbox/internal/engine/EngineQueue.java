package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.call.WorkQueue;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.internal.record.OutcomeRecorder;
import io.outbox.model.EventRef;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;

/** How events come to the workers of an engine, in which order, and what becomes of the others. */
public interface EngineQueue<D extends Delivery> extends WorkQueue<D> {

  /** What is queued, with a worker, or not written. */
  HeldEvents held();

  OutcomeRecorder<D> recorder();

  /** Hands an event once more to a worker, before others. Its listener had no place for it. */
  void again(D delivery);

  /** Lets queued events go that must not be delivered now: their rows wait in the table. */
  void remove(Predicate<EventEnvelope> unwanted);

  /** As {@link #remove}, for events that operators have paused. */
  default void removePaused(Predicate<EventEnvelope> paused) {
    remove(paused);
  }

  /** A listener is down, and one event is to be tried after this pause. */
  default void tryAfter(Duration pause) {}

  /** Events that were passed are wanted now. */
  void resume();

  /** Events of a listener that was busy are wanted again; all others were wanted all the time. */
  default void roomAgain() {
    resume();
  }

  /** Starts its threads. */
  void start();

  /** Takes no more events. */
  void stop(long drainNanos) throws InterruptedException;

  /** Hands out nothing more. */
  default void drop() {}

  /**
   * To be called when no worker takes or leaves events any more.
   *
   * @return those that were not started
   */
  default List<EventRef> unstarted() {
    return List.of();
  }

  /** Ends its threads, within about {@code maxNanos}. */
  void close(long maxNanos) throws InterruptedException;
}
