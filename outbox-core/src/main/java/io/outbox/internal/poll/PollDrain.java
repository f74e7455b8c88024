package io.outbox.internal.poll;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Polls again and again, each time behind the rows of the poll before, and decides how many to
 * fetch. For one thread, but for {@link #once}.
 */
public final class PollDrain {

  /** Each claim is a commit: with many events to deliver there should be few of them. */
  private static final long BACKLOG_FACTOR = 20;

  private static final long STEP_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final PollSink sink;
  private final PollCycle cycle;
  private final int batchSize;
  private final int backlogBatchSize;
  private final PollWay way;
  private final Runnable reports;
  private final BooleanSupplier isClosed;
  private int firstBatch;

  /**
   * @param limitsBytes whether a batch may be large, because its bytes have a bound
   * @param reports what is to be looked at now and then
   */
  public PollDrain(
      PollSink sink,
      PollCycle cycle,
      int batchSize,
      boolean limitsBytes,
      long intervalNanos,
      Runnable reports,
      BooleanSupplier isClosed) {
    this.sink = sink;
    this.cycle = cycle;
    this.batchSize = batchSize;
    this.backlogBatchSize =
        limitsBytes ? (int) Math.min(Integer.MAX_VALUE, BACKLOG_FACTOR * batchSize) : batchSize;
    this.way = new PollWay(sink, intervalNanos);
    this.reports = reports;
    this.isClosed = isClosed;
    this.firstBatch = batchSize;
  }

  /** One batch at most, from the first row. */
  public void once() {
    int limit = Math.min(batchSize, sink.availableCapacity());
    if (limit > 0) {
      poll(limit, null);
    }
  }

  /** As long as there is more, and progress. */
  public void run() throws InterruptedException {
    way.begin();
    int wanted = firstBatch;
    while (!isClosed.getAsBoolean()) {
      way.beginAnewIfDue();
      reports.run();
      int limit = Math.min(wanted, sink.availableCapacity());
      if (limit <= 0 || !sink.isReady()) {
        if (!sink.drains()) {
          return;
        }
        awaitTurn();
        continue;
      }
      PollCycle.Result result = poll(limit, way.next());
      firstBatch = (int) Math.min(batchSize, 2L * firstBatch);
      wanted = firstBatch < batchSize ? firstBatch : next(result);
      if (!sink.drains()) {
        return;
      }
      result.nextDue().ifPresent(sink.wakeUps()::at);
      if (result.trusted() && !goOnBehind(result)) {
        return;
      }
    }
  }

  /**
   * Begins with a single event, because a batch did not fit into memory; false if it did before.
   */
  public boolean shrink() {
    boolean wasMore = firstBatch > 1;
    firstBatch = 1;
    return wasMore;
  }

  /** Returns whether there may be more behind it. */
  private boolean goOnBehind(PollCycle.Result result) throws InterruptedException {
    if (result.refused()) {
      await(sink::awaitCapacity);
      return true; // from the same cursor, so that what was refused is not passed
    }
    way.passed(result);
    if (!result.full()) {
      return false;
    }
    if (result.end() == null && result.accepted() == 0) {
      if (result.held() == 0) {
        return false; // nothing of it will go away by waiting
      }
      await(sink::awaitProgress);
    }
    return true;
  }

  /** How many to fetch next: what does not fit is not to be locked for nothing. */
  private int next(PollCycle.Result result) {
    if (result.limited()) {
      return Math.min(backlogBatchSize, Math.max(2, 2 * (result.accepted() + result.held())));
    }
    return result.full() ? backlogBatchSize : batchSize;
  }

  /** One at a time: the sink remembers what ended during a poll. */
  private synchronized PollCycle.Result poll(int limit, PollCycle.Position after) {
    return cycle.run(limit, after);
  }

  private void awaitTurn() throws InterruptedException {
    if (sink.isReady()) {
      await(sink::awaitCapacity);
    } else {
      sink.wakeUps().pause(Math.min(way.nanosLeft(), STEP_NANOS));
    }
  }

  private interface Wait {
    boolean forAtMost(long nanos) throws InterruptedException;
  }

  /** Waits in short steps: what the sink waits for may never come once the poller is closed. */
  private void await(Wait wait) throws InterruptedException {
    for (long left = way.nanosLeft();
        !isClosed.getAsBoolean() && left > 0;
        left = way.nanosLeft()) {
      if (wait.forAtMost(Math.min(left, STEP_NANOS))) {
        return;
      }
    }
  }
}
