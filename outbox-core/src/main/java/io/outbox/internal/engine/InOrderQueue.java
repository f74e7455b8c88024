package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventRef;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * All events one after the other: nothing passes an event that waits. What is put back takes along
 * all that is queued behind it.
 */
final class InOrderQueue extends PolledQueue {

  private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final InOrderSink sink = new InOrderSink(this);

  InOrderQueue(EngineParts<Delivery> parts) {
    super(parts);
  }

  @Override
  public InOrderSink sink() {
    return sink;
  }

  @Override
  public boolean mayBePassed() {
    return false;
  }

  @Override
  public boolean waitsFor(Delivery delivery) throws InterruptedException {
    if (Thread.interrupted() || isStopping()) {
      throw new InterruptedException();
    }
    LockSupport.parkNanos(AGAIN_NANOS);
    return true;
  }

  @Override
  public void putBack(Delivery delivery) {
    List<EventRef> refs = new ArrayList<>(List.of(delivery.ref()));
    sink.restartAfter(
        () -> {
          held.release(delivery);
          refs.addAll(dropAll()); // they must not pass it
        });
    giveBackOrKeep(refs);
    wakeUps.now();
    held.signalProgress();
  }

  @Override
  public void removePaused(Predicate<EventEnvelope> paused) {
    List<EventRef> dropped = new ArrayList<>();
    sink.restartAfter(() -> dropped.addAll(dropAll()));
    giveBack(dropped);
  }

  private List<EventRef> dropAll() {
    return drop(queues.remove(any -> true));
  }
}
