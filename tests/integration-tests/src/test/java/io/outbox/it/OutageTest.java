package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.testdb.DedicatedServer;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The database is killed and started again while events are written and delivered. */
class OutageTest {

  private static final int WRITERS = 4;
  private static final int EVENTS_BETWEEN = 300;
  private static final Duration LEASE = Duration.ofSeconds(9);
  private static final Duration RECOVERY = Duration.ofSeconds(90);

  /** A pool that gives up soon: the outbox has to live with its failures, not with its patience. */
  private static final Duration POOL_TIMEOUT = Duration.ofSeconds(1);

  @Test
  void R1_oneNodeOutlivesItsDatabase() throws Exception {
    run(TestDatabase.POSTGRES, 1, 1);
  }

  @Test
  void R1_twoNodesOutliveTheirDatabase() throws Exception {
    run(TestDatabase.POSTGRES, 2, 1);
  }

  @Test
  void R1_aNodeOnMariaDbOutlivesItsDatabase() throws Exception {
    run(TestDatabase.MARIADB, 1, 1);
  }

  @Test
  @Tag("mysql")
  void R1_nodesOnMySqlOutliveTheirDatabase() throws Exception {
    run(TestDatabase.MYSQL, 1, 1);
    run(TestDatabase.MYSQL, 2, 1);
  }

  @RepeatedTest(10)
  @Tag("soak")
  void R1_soak() throws Exception {
    for (TestDatabase kind : List.of(TestDatabase.POSTGRES, TestDatabase.MARIADB)) {
      run(kind, 1, 5);
      run(kind, 2, 5);
    }
  }

  private static void run(TestDatabase kind, int nodeCount, int outages) throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.printf("%s, %d nodes, %d outages, seed %d%n", kind, nodeCount, outages, seed);
    Ledger ledger = new Ledger();
    AtomicInteger failures = new AtomicInteger();
    try (DedicatedServer server = kind.dedicatedServer();
        Scenario scenario = Scenario.on(server.fresh());
        Writers writers = new Writers(ledger, seed, failure -> failures.incrementAndGet())) {
      List<Node> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < nodeCount; i++) {
          nodes.add(start(scenario, "node-" + i, nodeCount, ledger));
        }
        nodes.forEach(node -> writers.start(node, WRITERS / nodeCount, Integer.MAX_VALUE));
        for (int i = 0; i < outages; i++) {
          awaitDeliveries(ledger, EVENTS_BETWEEN);
          outage(server, failures);
          long restarted = System.nanoTime();
          awaitDeliveries(ledger, EVENTS_BETWEEN);
          System.out.printf(
              "  delivering %.1f s after the restart%n", (System.nanoTime() - restarted) / 1e9);
        }
        writers.stop();
        writers.join();
        scenario.awaitFinished(Duration.ofMinutes(2));
      } finally {
        nodes.forEach(Node::close);
      }
      Findings findings = ledger.check(scenario).assertAtLeastOnce();
      System.out.println("  " + findings.summary() + ", " + nodes);
      // A node that waits until it can write its outcomes needs nobody's help; another node may
      // take
      // over when the lease has ended, of which half is left at least when a delivery starts.
      findings.assertDoubledNoSooner(nodeCount == 1 ? null : LEASE.dividedBy(3));
      assertThat(nodes.stream().mapToInt(node -> node.metrics.successes()).sum())
          .as("R9: no success is counted twice, %s", nodes)
          .isLessThanOrEqualTo(findings.committed);
    }
  }

  private static Node start(Scenario scenario, String name, int nodeCount, Ledger ledger) {
    Node node = new Node(scenario, name, POOL_TIMEOUT);
    Outbox.DeliveringBuilder<?> builder =
        nodeCount == 1 ? Outbox.singleNode() : Outbox.multiNode().claimLocking(name, LEASE);
    return node.start(
        builder.intervalMs(50).hotQueueCapacity(100),
        ledger.listening(name, event -> DispatchResult.done()));
  }

  /** Returns when the server is there again; in between writers have noticed that it was away. */
  private static void outage(DedicatedServer server, AtomicInteger failures) {
    server.killServer();
    int before = failures.get();
    Await.until("writers to fail", RECOVERY, () -> failures.get() >= before + 2 * WRITERS);
    server.restart();
  }

  private static void awaitDeliveries(Ledger ledger, int count) {
    int before = ledger.count();
    Await.until(count + " more deliveries", RECOVERY, () -> ledger.count() >= before + count);
  }
}
