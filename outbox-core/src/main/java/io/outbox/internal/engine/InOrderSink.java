package io.outbox.internal.engine;

import io.outbox.EventEnvelope;
import io.outbox.model.EventRoute;
import io.outbox.model.OutboxEvent;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Queues rows only behind those that come before them: none while an earlier one waits. */
final class InOrderSink extends ColdSink {

  /** What holds up all others may be killed or moved meanwhile. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private long restartsAtPoll;
  private boolean halted;
  private long haltedNanos;

  InOrderSink(InOrderQueue queue) {
    super(queue);
  }

  @Override
  synchronized void restart() {
    super.restart();
    halted = false;
  }

  /** As {@link #restart()}; nothing is queued between that and {@code putBack}. */
  synchronized void restartAfter(Runnable putBack) {
    putBack.run();
    restart();
  }

  @Override
  synchronized void polls() {
    restartsAtPoll = restarts();
  }

  /** Not if the poll that brought it is outdated. */
  @Override
  public synchronized Handover offer(OutboxEvent row, EventEnvelope envelope) {
    return restartsAtPoll == restarts() ? super.offer(row, envelope) : Handover.FULL;
  }

  /** Neither may those behind it be delivered. */
  @Override
  synchronized Handover paused() {
    halted = true;
    haltedNanos = System.nanoTime();
    return Handover.FULL;
  }

  /** False also while the first row may not be delivered. */
  @Override
  public boolean isReady() {
    return super.isReady() && !isHalted();
  }

  private synchronized boolean isHalted() {
    halted = halted && System.nanoTime() - haltedNanos < LOOK_AGAIN_NANOS;
    return halted;
  }

  /** Events without a listener here may be passed; the others wait for each other. */
  @Override
  public List<EventRoute> unwantedRoutes() {
    return parts().missing.leftOut();
  }
}
