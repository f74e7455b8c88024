package io.outbox.internal.call;

import io.outbox.internal.policy.ListenerTerms;
import io.outbox.util.DaemonThreadFactory;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Ends calls that take too long: interrupts the listener, and gives it up if that is no use. */
public final class ListenerTimeouts {

  private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Duration timeout; // null: none, unless a call has its own
  private final Consumer<Thread> stuck;
  private final ScheduledThreadPoolExecutor timer;

  /**
   * Calls {@code stuck} with each worker whose listener does not yield.
   *
   * @param timeout of calls that have none of their own; null for none
   */
  public ListenerTimeouts(Duration timeout, Consumer<Thread> stuck) {
    this.timeout = timeout;
    this.stuck = stuck;
    this.timer = new ScheduledThreadPoolExecutor(1, new DaemonThreadFactory("outbox-timeouts-"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  /** Watches over a call until the returned future is cancelled; null if it may take for ever. */
  Future<?> watch(ListenerCall<?> call) {
    Duration limit = call.ownTimeout() == null ? timeout : call.ownTimeout();
    return limit == null || limit.equals(ListenerTerms.NO_TIMEOUT)
        ? null
        : schedule(() -> timedOut(call, limit), limit.toNanos());
  }

  private void timedOut(ListenerCall<?> call, Duration limit) {
    if (call.timeOut(limit)) {
      schedule(() -> abandon(call), GRACE_NANOS);
    }
  }

  private void abandon(ListenerCall<?> call) {
    call.abandon(stuck);
  }

  private Future<?> schedule(Runnable task, long nanos) {
    try {
      return timer.schedule(task, nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      return null; // closed: listeners are interrupted by that, too
    }
  }

  void close() {
    timer.shutdown();
  }
}
