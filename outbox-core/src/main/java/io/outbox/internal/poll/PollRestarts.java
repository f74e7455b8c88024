package io.outbox.internal.poll;

import io.outbox.internal.poll.PollSink.Handover;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Sees to it that a poller begins at the first row again when rows that it has passed are to be
 * delivered after all, and where all events are in order, that nothing passes an event that waits.
 * Thread-safe.
 */
public final class PollRestarts {

  /** What holds up all others may be killed or moved meanwhile. */
  private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final boolean inOrder;
  private long restarts;
  private long restartsAtPoll;
  private boolean halted;
  private long haltedNanos;

  public PollRestarts(boolean inOrder) {
    this.inOrder = inOrder;
  }

  /** Counts how often to begin at the first row again. */
  public synchronized long count() {
    return restarts;
  }

  public synchronized void pollStarted() {
    restartsAtPoll = restarts;
  }

  /** The next poll begins at the first row. */
  public synchronized void restart() {
    restarts++;
    halted = false;
  }

  /** As {@link #restart()}; in order, nothing is queued between that and {@code putBack}. */
  public synchronized void restart(Runnable putBack) {
    putBack.run();
    restart();
  }

  /** Queues a row; in order, not if the poll that brought it is outdated. */
  public synchronized Handover offer(Supplier<Handover> queue) {
    return inOrder && restartsAtPoll != restarts ? Handover.FULL : queue.get();
  }

  /** A row may not be delivered now. Where all are in order, neither may those behind it. */
  public synchronized Handover paused() {
    if (!inOrder) {
      return Handover.PAUSED;
    }
    halted = true;
    haltedNanos = System.nanoTime();
    return Handover.FULL;
  }

  /** Whether no row can be delivered for now because the first one may not. */
  public synchronized boolean isHalted() {
    halted = halted && System.nanoTime() - haltedNanos < LOOK_AGAIN_NANOS;
    return halted;
  }
}
