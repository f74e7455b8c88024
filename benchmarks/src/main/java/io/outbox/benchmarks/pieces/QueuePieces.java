package io.outbox.benchmarks.pieces;

import io.outbox.EventEnvelope;
import io.outbox.internal.queue.Delivery;
import io.outbox.internal.queue.DeliveryQueues;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to hand an event to a worker. In the queues' package, which hides them. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class QueuePieces {

  private static final Delivery EVENT =
      Delivery.ofCommitted(EventEnvelope.ofJson("Measured", "{}"), null);

  private static DeliveryQueues queues() {
    return new DeliveryQueues(1_000, 1_000, 1L << 40);
  }

  /** Queues that nobody else uses. */
  @State(Scope.Thread)
  public static class Alone {
    private final DeliveryQueues queues = queues();
  }

  /** Queues that a worker empties. */
  @State(Scope.Thread)
  public static class WithWorker {
    private final DeliveryQueues queues = queues();
    private Thread worker;

    @Setup
    public void start() {
      worker =
          new Thread(
              () -> {
                try {
                  while (queues.take() != null) {
                    // takes whatever comes
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              });
      worker.setDaemon(true);
      worker.start();
    }

    @TearDown
    public void stop() throws InterruptedException {
      worker.interrupt();
      queues.stop();
      worker.join(5_000);
    }
  }

  @Benchmark
  public Delivery offerAndTake(Alone state) throws InterruptedException {
    if (!state.queues.offerHot(EVENT)) {
      throw new IllegalStateException("an empty queue refused an event");
    }
    return state.queues.take();
  }

  /** An operation is an event that was accepted: a full queue is waited for. */
  @Benchmark
  public void handOver(WithWorker state) {
    while (!state.queues.offerHot(EVENT)) {
      Thread.onSpinWait();
    }
  }
}
