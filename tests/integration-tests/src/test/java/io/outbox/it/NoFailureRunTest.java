package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Nothing fails, and so nothing is lost and nothing is delivered twice: the poller looks every 5
 * ms, and leaves nothing to the hot path out of kindness.
 */
class NoFailureRunTest {

  private static final int WRITERS = 4;
  private static final Duration NOT_AT_ALL = Duration.ZERO;
  private static final Duration LONG_LEASE = Duration.ofSeconds(30);
  private static final Duration SHORT_LEASE = Duration.ofSeconds(5);

  /**
   * A run.
   *
   * @param nodes one is {@code singleNode()}, more are {@code multiNode()}
   * @param lease of many nodes
   * @param open how long the transactions of another set of writers stay open; zero for none
   * @param lateAnswers whether a commit is in the database before its writer knows
   * @param checkRows whether rows are looked for before they are delivered hot
   */
  private record Run(
      TestDatabase database,
      int nodes,
      int events,
      int hotQueue,
      int listenerMillis,
      Duration lease,
      Duration open,
      boolean lateAnswers,
      boolean checkRows) {

    static Run of(TestDatabase database, int nodes, int events, int hotQueue, int listenerMillis) {
      return new Run(
          database, nodes, events, hotQueue, listenerMillis, LONG_LEASE, NOT_AT_ALL, false, false);
    }

    Run answeringLate() {
      return new Run(
          database, nodes, events, hotQueue, listenerMillis, lease, open, true, checkRows);
    }

    Run stayingOpen() {
      Duration longer = SHORT_LEASE.plusMillis(500);
      return new Run(
          database,
          nodes,
          events,
          hotQueue,
          listenerMillis,
          SHORT_LEASE,
          longer,
          lateAnswers,
          checkRows);
    }

    Run checkingRows() {
      return new Run(
          database, nodes, events, hotQueue, listenerMillis, lease, open, lateAnswers, true);
    }
  }

  // ---- one node

  @ParameterizedTest(name = "hot queue of {0}, listener of {1} ms")
  @CsvSource({"10,0", "10,3", "1000,0", "1000,3"})
  void R3_oneNodeDeliversEachEventOnce(int hotQueue, int listenerMillis) throws Exception {
    run(Run.of(TestDatabase.POSTGRES, 1, 4000, hotQueue, listenerMillis));
  }

  @EachDatabase
  void R3_aPollThatIsQuickerThanTheAnswerToTheCommitDeliversOnce(TestDatabase kind)
      throws Exception {
    run(Run.of(kind, 1, 2000, 1000, 0).answeringLate());
  }

  @ParameterizedTest(name = "{0} nodes")
  @ValueSource(ints = {1, 2})
  void R3_eventsWhoseRowsAreLookedForFirstAreDeliveredOnce(int nodes) throws Exception {
    run(Run.of(TestDatabase.POSTGRES, nodes, 2000, 100, 0).checkingRows());
  }

  @RepeatedTest(10)
  @Tag("soak")
  void R3_soakOfOneNode() throws Exception {
    for (int hotQueue : new int[] {10, 1000}) {
      for (int listenerMillis : new int[] {0, 3}) {
        run(Run.of(TestDatabase.POSTGRES, 1, 20_000, hotQueue, listenerMillis));
      }
      run(Run.of(TestDatabase.POSTGRES, 1, 20_000, hotQueue, 0).answeringLate());
      run(Run.of(TestDatabase.POSTGRES, 1, 20_000, hotQueue, 0).checkingRows());
    }
    run(Run.of(TestDatabase.MARIADB, 1, 20_000, 1000, 0).answeringLate());
    run(Run.of(TestDatabase.H2, 1, 20_000, 1000, 0).answeringLate());
  }

  // ---- two nodes

  @ParameterizedTest(name = "hot queue of {0}, listener of {1} ms")
  @CsvSource({"10,3", "1000,0"})
  void R4_twoNodesDeliverEachEventOnce(int hotQueue, int listenerMillis) throws Exception {
    run(Run.of(TestDatabase.POSTGRES, 2, 4000, hotQueue, listenerMillis));
  }

  @EachDatabase
  void R4_twoNodesDeliverOnceThoughTransactionsOutlastTheirBornLeases(TestDatabase kind)
      throws Exception {
    run(Run.of(kind, 2, 2000, 100, 1).stayingOpen());
  }

  @Test
  void R4_twoNodesOnMariaDbDeliverEachEventOnce() throws Exception {
    run(Run.of(TestDatabase.MARIADB, 2, 2000, 50, 1));
  }

  @RepeatedTest(10)
  @Tag("soak")
  void R4_soakOfTwoNodes() throws Exception {
    for (int hotQueue : new int[] {10, 1000}) {
      for (int listenerMillis : new int[] {0, 3}) {
        run(Run.of(TestDatabase.POSTGRES, 2, 20_000, hotQueue, listenerMillis));
      }
      run(Run.of(TestDatabase.POSTGRES, 2, 20_000, hotQueue, 1).answeringLate());
      run(Run.of(TestDatabase.POSTGRES, 2, 20_000, hotQueue, 1).checkingRows());
    }
    run(Run.of(TestDatabase.MARIADB, 2, 20_000, 100, 1));
    run(Run.of(TestDatabase.H2, 2, 20_000, 100, 1));
  }

  @RepeatedTest(10)
  @Tag("soak")
  void R4_soakOfTransactionsThatOutlastTheirBornLeases() throws Exception {
    for (TestDatabase kind : List.of(TestDatabase.POSTGRES, TestDatabase.MARIADB)) {
      run(Run.of(kind, 2, 20_000, 10, 3).stayingOpen());
      run(Run.of(kind, 2, 20_000, 1000, 0).stayingOpen());
    }
    run(Run.of(TestDatabase.H2, 2, 20_000, 1000, 0).stayingOpen());
  }

  // ---- how

  private static void run(Run run) throws Exception {
    long seed = ThreadLocalRandom.current().nextLong();
    long start = System.nanoTime();
    System.out.println(run + ", seed " + seed);
    Ledger ledger = new Ledger();
    try (Scenario scenario = Scenario.on(run.database);
        Writers writers = new Writers(ledger, seed)) {
      List<Node> nodes = new ArrayList<>();
      try {
        for (int i = 0; i < run.nodes; i++) {
          nodes.add(start(scenario, run, "node " + i, ledger));
        }
        write(run, nodes, writers);
        scenario.awaitFinished(Duration.ofMinutes(2));
      } finally {
        // What is queued a second time would be delivered while closing.
        nodes.forEach(Node::close);
      }
      Findings findings = ledger.check(scenario);
      System.out.printf("  %s, %.1f s%n", findings.summary(), (System.nanoTime() - start) / 1e9);
      findings.assertExactlyOnce();
      assertThat(nodes.stream().mapToInt(node -> node.metrics.successes()).sum())
          .as("R9: successes in the metrics of %s", nodes)
          .isEqualTo(findings.committed);
    }
  }

  private static Node start(Scenario scenario, Run run, String name, Ledger ledger) {
    Node node = new Node(scenario, name);
    ledger.watch(node);
    if (run.lateAnswers) {
      node.writingOn(NoFailureRunTest::answeringLate);
    }
    Outbox.DeliveringBuilder<?> builder =
        run.nodes == 1
            ? Outbox.singleNode()
            : Outbox.multiNode().claimLocking(name.replace(' ', '-'), run.lease);
    builder
        .hotQueueCapacity(run.hotQueue)
        .intervalMs(5)
        .skipRecent(Duration.ZERO)
        .checkRowsBeforeHotDelivery(run.checkRows)
        .drainTimeoutMs(60_000);
    return node.start(builder, ledger.listening(name, slow(run.listenerMillis)));
  }

  private static EventListener slow(int millis) {
    return event -> {
      if (millis > 0) {
        LockSupport.parkNanos(millis * 1_000_000L);
      }
      return DispatchResult.done();
    };
  }

  private static Connection answeringLate(Connection real) {
    return new Tap<>(Connection.class, real)
        .on(
            "commit",
            call -> {
              call.proceed();
              LockSupport.parkNanos(ThreadLocalRandom.current().nextLong(5_000_000));
              return null;
            })
        .proxy();
  }

  private static void write(Run run, List<Node> nodes, Writers writers)
      throws InterruptedException {
    int writersPerNode = WRITERS / nodes.size();
    int eventsPerNode = run.events / nodes.size();
    for (Node node : nodes) {
      if (run.open.isZero()) {
        writers.start(node, writersPerNode, eventsPerNode);
      } else {
        writers.start(node, 2 * WRITERS, eventsPerNode / 20, run.open);
        writers.start(node, writersPerNode, eventsPerNode / 20 * 19);
      }
    }
    writers.join();
  }
}
