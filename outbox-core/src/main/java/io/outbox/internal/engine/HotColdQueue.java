package io.outbox.internal.engine;

import io.outbox.internal.queue.Delivery;
import java.util.List;

/** Any event may pass any other: two of three come from the hot side, if both have some. */
final class HotColdQueue extends PolledQueue {

  private final ColdSink sink = new ColdSink(this);

  HotColdQueue(EngineParts<Delivery> parts) {
    super(parts);
  }

  @Override
  public ColdSink sink() {
    return sink;
  }

  @Override
  public void roomAgain() {
    wakeUps.now(); // the poller asks which
  }

  @Override
  public void putBack(Delivery delivery) {
    boolean unwritten = delivery.isUnwritten();
    if (unwritten) {
      held.release(delivery); // first: a claim of its free row would look like its own lease
    }
    if (!delivery.endsUnwritten(null)) {
      giveBackOrKeep(List.of(delivery.ref()));
    }
    if (!unwritten) {
      held.release(delivery);
    }
    held.signalProgress();
  }
}
