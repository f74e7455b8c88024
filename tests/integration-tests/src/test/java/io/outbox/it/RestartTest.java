package io.outbox.it;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Delivery is stopped and started again while events are written: that is no failure. */
class RestartTest {

  private static final Duration LEASE = Duration.ofSeconds(20);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @EachDatabase
  void R3_R15_oneNodeStoppedAndStartedAgainDeliversEachEventOnce(TestDatabase kind)
      throws Exception {
    run(kind, Outbox.singleNode(), 4);
  }

  @Test
  void R3_R15_aNodeBesideOthersStoppedAndStartedAgainDeliversEachEventOnce() throws Exception {
    run(TestDatabase.POSTGRES, Outbox.multiNode().claimLocking(LEASE), 4);
  }

  @EachDatabase
  @Tag("soak")
  void R3_R15_soak(TestDatabase kind) throws Exception {
    run(kind, Outbox.singleNode(), 100);
    run(kind, Outbox.multiNode().claimLocking(LEASE), 100);
  }

  private static void run(TestDatabase kind, Outbox.DeliveringBuilder<?> builder, int restarts)
      throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.printf("%s, %d restarts, seed %d%n", kind, restarts, seed);
    Ledger ledger = new Ledger();
    try (Scenario scenario = Scenario.on(kind);
        Writers writers = new Writers(ledger, seed);
        Node node = new Node(scenario, "node")) {
      node.start(
          builder.intervalMs(5).hotQueueCapacity(50).drainTimeoutMs(60_000),
          ledger.listening(
              "node",
              event -> {
                LockSupport.parkNanos(500_000);
                return DispatchResult.done();
              }));
      writers.start(node, 3, Integer.MAX_VALUE);
      for (int i = 0; i < restarts; i++) {
        int before = ledger.count();
        Await.until("deliveries", PATIENCE, () -> ledger.count() > before + 100);
        node.stop();
        node.restart();
      }
      writers.stop();
      writers.join();
      scenario.awaitFinished(PATIENCE);
      node.close();
      Findings findings = ledger.check(scenario);
      System.out.println("  " + findings.summary());
      findings.assertExactlyOnce();
    }
  }
}
