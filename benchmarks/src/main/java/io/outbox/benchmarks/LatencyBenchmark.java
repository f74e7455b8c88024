package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager;
import io.outbox.testdb.DedicatedServer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** How long after the database has committed an event reaches its listener, at a steady rate. */
final class LatencyBenchmark {

  private final DedicatedServer server;
  private final int perSecond;
  private final int seconds;

  LatencyBenchmark(DedicatedServer server, int perSecond, int seconds) {
    this.server = server;
    this.perSecond = perSecond;
    this.seconds = seconds;
  }

  /** Milliseconds from commit to listener, by mode. */
  Map<String, Samples> run(Progress progress) throws Exception {
    Map<String, Samples> latencies = new LinkedHashMap<>();
    progress.show("latency, warm-up");
    measure(Outbox.singleNode(), Math.min(seconds, 5));
    progress.show("latency, singleNode()");
    latencies.put("singleNode()", measure(Outbox.singleNode(), seconds));
    progress.show("latency, multiNode()");
    latencies.put(
        "multiNode()", measure(Outbox.multiNode().claimLocking(Duration.ofMinutes(5)), seconds));
    return latencies;
  }

  private <B extends Outbox.AbstractBuilder<B>> Samples measure(B builder, int seconds)
      throws Exception {
    int events = perSecond * seconds;
    Map<String, Long> committed = new ConcurrentHashMap<>();
    Map<String, Long> received = new ConcurrentHashMap<>();
    CountDownLatch all = new CountDownLatch(events);
    try (Workbench bench = new Workbench(server.fresh());
        Outbox outbox =
            bench
                .wire(
                    builder,
                    event -> {
                      received.put(event.eventId(), System.nanoTime());
                      all.countDown();
                      return DispatchResult.done();
                    })
                .build()) {
      // Open loop: an event's time does not depend on the one before.
      long start = System.nanoTime();
      long gap = TimeUnit.SECONDS.toNanos(1) / perSecond;
      for (int i = 0; i < events; i++) {
        long at = start + i * gap;
        while (System.nanoTime() - at < 0) {
          LockSupport.parkNanos(at - System.nanoTime());
        }
        EventEnvelope event = EventEnvelope.ofJson("Measured", "{\"n\":" + i + "}");
        try (JdbcTransactionManager.Transaction transaction = bench.transactions.begin()) {
          // Registered before the outbox's own callback: the database has just committed.
          bench.tx.afterCommit(() -> committed.put(event.eventId(), System.nanoTime()));
          outbox.writer().write(event);
          transaction.commit();
        }
      }
      if (!all.await(1, TimeUnit.MINUTES)) {
        throw new IllegalStateException(all.getCount() + " events were not delivered");
      }
    }
    Samples samples = new Samples();
    committed.forEach((id, at) -> samples.add((received.get(id) - at) / 1e6));
    return samples;
  }
}
