package io.outbox.testbrokers;

import io.outbox.EventEnvelope;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntFunction;

/**
 * Writes events at a fixed rate, whatever becomes of them, on a separate thread. It can be told to
 * hold back the last of them, so that on a slow machine, too, some are left for what is to come.
 */
final class SteadyLoad implements AutoCloseable {

  private static final Duration TICK = Duration.ofMillis(100);

  private final RunningOutbox outbox;
  private final IntFunction<EventEnvelope> events;
  private final int perTick;
  private final int total;
  private final ConcurrentLinkedQueue<EventEnvelope> written = new ConcurrentLinkedQueue<>();
  private final Thread writer = new Thread(this::write, "steady-load");
  private volatile int count;
  private volatile int limit;
  private volatile boolean closed;
  private volatile RuntimeException failure;

  SteadyLoad(RunningOutbox outbox, int perSecond, int total, IntFunction<EventEnvelope> events) {
    this(outbox, perSecond, total, 0, events);
  }

  /**
   * Begins to write.
   *
   * @param heldBack how many of the total are not written before {@link #writeTheRest}
   */
  SteadyLoad(
      RunningOutbox outbox,
      int perSecond,
      int total,
      int heldBack,
      IntFunction<EventEnvelope> events) {
    this.outbox = outbox;
    this.limit = total - heldBack;
    this.events = events;
    this.perTick = perSecond / 10;
    this.total = total;
    writer.start();
  }

  private void write() {
    long next = System.nanoTime();
    try {
      while (!closed && count < total) {
        List<EventEnvelope> batch = new ArrayList<>(perTick);
        for (int i = count; i < Math.min(limit, count + perTick); i++) {
          batch.add(events.apply(i));
        }
        if (!batch.isEmpty()) {
          outbox.write(batch);
        }
        written.addAll(batch);
        count += batch.size();
        next += TICK.toNanos();
        for (long left = next - System.nanoTime(); left > 0; left = next - System.nanoTime()) {
          LockSupport.parkNanos(left);
        }
      }
    } catch (RuntimeException e) {
      failure = e;
    }
  }

  void writeTheRest() {
    limit = total;
  }

  /** How many events are committed. */
  int count() {
    if (failure != null) {
      throw new IllegalStateException("writing failed", failure);
    }
    return count;
  }

  boolean isComplete() {
    return count() == total;
  }

  List<EventEnvelope> written() {
    return List.copyOf(written);
  }

  @Override
  public void close() {
    closed = true;
    try {
      writer.join(Duration.ofSeconds(30).toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
