package io.outbox.benchmarks;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.testdb.DedicatedServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** How many waiting events per second are delivered and finished, all at default settings. */
final class DrainBenchmark {

  /** One way to drain a table. */
  private interface Contestant {
    void drain(Workbench bench, int events) throws Exception;
  }

  private final DedicatedServer server;
  private final int events;
  private final Map<String, Contestant> contestants = new LinkedHashMap<>();

  DrainBenchmark(DedicatedServer server, int events) {
    this.server = server;
    this.events = events;
    contestants.put("plain JDBC loop", (bench, n) -> new PlainJdbcLoop(bench.pool).drain());
    contestants.put("singleNode()", (bench, n) -> drain(bench, n, Outbox.singleNode()));
    contestants.put(
        "multiNode()",
        (bench, n) -> drain(bench, n, Outbox.multiNode().claimLocking(Duration.ofMinutes(5))));
    contestants.put("ordered()", (bench, n) -> drain(bench, n, Outbox.ordered()));
  }

  /** Rates in events per second, by contestant, one per round. */
  Map<String, Samples> run(int rounds, Progress progress) throws Exception {
    Map<String, Samples> rates = new LinkedHashMap<>();
    contestants.keySet().forEach(name -> rates.put(name, new Samples()));
    for (int round = 0; round <= rounds; round++) {
      for (String name : contestants.keySet()) {
        double rate = measure(contestants.get(name));
        progress.show(
            "drain, "
                + (round == 0 ? "warm-up" : "round " + round + " of " + rounds)
                + ": "
                + name
                + " "
                + Math.round(rate)
                + " events/s");
        if (round > 0) {
          rates.get(name).add(rate);
        }
      }
    }
    return rates;
  }

  private double measure(Contestant contestant) throws Exception {
    try (Workbench bench = new Workbench(server.fresh())) {
      bench.fill(events);
      long start = System.nanoTime();
      contestant.drain(bench, events);
      long nanos = System.nanoTime() - start;
      bench.awaitDone(events);
      return events * 1e9 / nanos;
    }
  }

  /** The time counts until every event is DONE in the table, not only delivered. */
  private static <B extends Outbox.AbstractBuilder<B>> void drain(
      Workbench bench, int events, B builder) throws SQLException, InterruptedException {
    CountDownLatch delivered = new CountDownLatch(events);
    try (Outbox outbox =
        bench
            .wire(
                builder,
                event -> {
                  delivered.countDown();
                  return DispatchResult.done();
                })
            .build()) {
      if (!delivered.await(5, TimeUnit.MINUTES)) {
        throw new IllegalStateException(
            delivered.getCount() + " events were not delivered within 5 minutes");
      }
      bench.awaitDone(events);
      // Closing is part of the block, and of the time: it is bounded and finds nothing to do.
      outbox.writer();
    }
  }
}
