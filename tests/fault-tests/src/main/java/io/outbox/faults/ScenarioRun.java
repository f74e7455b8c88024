package io.outbox.faults;

import io.outbox.faults.node.Cluster;
import io.outbox.faults.node.FaultNode;
import io.outbox.faults.node.Mode;
import io.outbox.faults.proof.EventTable;
import io.outbox.faults.proof.Proof;
import io.outbox.faults.proof.Verdict;
import io.outbox.faults.scenario.Fault;
import io.outbox.faults.scenario.FaultLog;
import io.outbox.faults.scenario.Scenario;
import io.outbox.it.KeyWriters;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;

/** Runs a scenario in a mode: load on all nodes, fault after fault, and then the proof. */
public final class ScenarioRun {

  /** How long nodes may take to deliver what had been written when a fault ended. */
  private static final Duration RECOVERY = Duration.ofMinutes(2);

  private static final Duration SHORT_CALM = Duration.ofMillis(200);
  private static final Duration LONG_CALM = Duration.ofMillis(1500);

  private final ScenarioType type;
  private final Mode mode;
  private final Duration duration;
  private final Path directory;
  private final FaultLog log = new FaultLog();
  private final long begun = System.nanoTime();

  /**
   * @param duration of the faults; at least one is done
   * @param directory for what the nodes write
   */
  public ScenarioRun(ScenarioType type, Mode mode, Duration duration, Path directory) {
    this.type = type;
    this.mode = mode;
    this.duration = duration;
    this.directory = directory;
  }

  public Result run(long seed) throws Exception {
    try (Scenario scenario = type.opening().open();
        Cluster cluster = new Cluster(directory, new Random(seed), mode, scenario)) {
      EventTable table = EventTable.create(scenario.database());
      KeyWriters.createLocks(scenario.database(), Cluster.KEYS);
      cluster.start();
      String trouble = "";
      try {
        doFaults(scenario, cluster, table);
        finish(cluster, table);
      } catch (AssertionError e) {
        trouble = e.getMessage();
        cluster.killAll();
      }
      Mode proven = scenario.keepsOrder() ? mode : Mode.MULTI_NODE;
      Verdict verdict = Proof.of(proven, table.rows(), cluster.journaled(), log.all());
      verdict.troubles.addAll(cluster.died());
      if (!trouble.isEmpty()) {
        verdict.troubles.add(trouble);
      }
      verdict.lost.addAll(scenario.notReceived(table.rows()));
      Duration took = Duration.ofNanos(System.nanoTime() - begun);
      return new Result(type.name(), mode, proven, log.all(), verdict, took);
    }
  }

  private void doFaults(Scenario scenario, Cluster cluster, EventTable table) throws Exception {
    long start = System.nanoTime();
    do {
      cluster.passTime(SHORT_CALM, LONG_CALM);
      scenario.fault(cluster, log);
      awaitRecovery(table, log.endAll());
    } while (System.nanoTime() - start < duration.toNanos());
  }

  private static void awaitRecovery(EventTable table, Fault fault) {
    try {
      table.awaitDelivered(table.lastSeq(), RECOVERY);
    } catch (AssertionError e) {
      String after = fault == null ? "without a fault" : "after the fault " + fault.what();
      throw new AssertionError("NOT RECOVERED " + after + ": " + e.getMessage(), e);
    }
    if (fault != null && fault.recovery() == null) {
      fault.recovered(Duration.ofNanos(System.nanoTime() - fault.ended()));
    }
  }

  private static void finish(Cluster cluster, EventTable table) throws Exception {
    for (FaultNode node : cluster.running()) {
      node.stopWriting();
    }
    table.awaitDelivered(Long.MAX_VALUE, RECOVERY);
    for (FaultNode node : cluster.running()) {
      node.end();
    }
  }
}
