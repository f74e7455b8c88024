package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.it.Ledger.Delivered;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * JVMs killed while they deliver: what was committed is delivered by the next, and no event is
 * given up because the processes around it died.
 */
class KilledProcessTest {

  private static final int EVENTS = 5000;
  private static final int SHARE_WRITTEN_BY_PROCESSES = 5; // one in five
  private static final Duration LEASE = Duration.ofMillis(1500);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int EARLY_MILLIS = 1500;
  private static final Duration MAX_WAIT = Duration.ofSeconds(2);

  @TempDir Path directory;

  @Test
  void R1_aProcessKilledAgainAndAgainLosesNothing() throws Exception {
    run(TestDatabase.POSTGRES, 1, 6);
  }

  @Test
  void R1_R7_twoNodesKilledAgainAndAgainLoseNothingAndGiveUpNothing() throws Exception {
    run(TestDatabase.POSTGRES, 2, 6);
  }

  @RepeatedTest(10)
  @Tag("soak")
  void R1_soakOfOneNode() throws Exception {
    run(TestDatabase.POSTGRES, 1, 20);
  }

  @RepeatedTest(10)
  @Tag("soak")
  void R1_R7_soakOfTwoNodes() throws Exception {
    run(TestDatabase.POSTGRES, 2, 20);
  }

  @RepeatedTest(2)
  @Tag("soak")
  void R1_R7_soakOnMariaDb() throws Exception {
    run(TestDatabase.MARIADB, 1, 20);
    run(TestDatabase.MARIADB, 2, 20);
  }

  @Test
  @Tag("mysql")
  void R1_R7_killedProcessesOnMySql() throws Exception {
    run(TestDatabase.MYSQL, 2, 3);
  }

  @Test
  void R5_aProcessThatSleptLongerThanItsLeasesDoesNoHarm() throws Exception {
    pauseAndResume(2);
  }

  @RepeatedTest(3)
  @Tag("soak")
  void R5_soakOfProcessesThatSleep() throws Exception {
    pauseAndResume(20);
  }

  /** Two nodes, of which one sleeps now and then; the other delivers what it held. */
  private void pauseAndResume(int pauses) throws Exception {
    Random random = seeded("%d pauses".formatted(pauses));
    List<DeliveringProcess> processes = new ArrayList<>();
    try (Scenario scenario = Scenario.on(TestDatabase.POSTGRES)) {
      Audit audit = Audit.of(scenario);
      for (int i = 0; i < 2; i++) {
        processes.add(new DeliveringProcess(scenario.database, directory, LEASE, 50));
        processes.get(i).awaitWritten();
      }
      for (int i = 0; i < pauses; i++) {
        scenario.write(scenario.coldWriter(), Scenario.events(1000));
        DeliveringProcess sleeper = processes.get(random.nextInt(2));
        int target = sleeper.deliveries() + 1 + random.nextInt(200);
        Await.until(
            "deliveries",
            PATIENCE,
            () -> sleeper.deliveries() >= target || scenario.count(EventStatus.NEW) == 0);
        long asleep = System.nanoTime();
        sleeper.pause();
        // The other cannot be awaited to deliver everything: the sleeper may have rows locked.
        Await.until(
            "leases to end",
            PATIENCE,
            () -> System.nanoTime() - asleep > LEASE.multipliedBy(2).toNanos());
        sleeper.resume();
      }
      finish(scenario, processes, "%d pauses".formatted(pauses));
      audit.assertAllowed();
    } finally {
      processes.forEach(DeliveringProcess::close);
    }
  }

  private static Random seeded(String what) {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.printf("%s, seed %d%n", what, seed);
    return new Random(seed);
  }

  private void run(TestDatabase kind, int nodes, int kills) throws Exception {
    String what = "%s, %d nodes, %d kills".formatted(kind, nodes, kills);
    Random random = seeded(what);
    int perRound = EVENTS / (kills + nodes);
    int writes = perRound / SHARE_WRITTEN_BY_PROCESSES;
    Duration lease = nodes == 1 ? Duration.ZERO : LEASE;
    List<DeliveringProcess> processes = new ArrayList<>();
    try (Scenario scenario = Scenario.on(kind)) {
      for (int round = 0; round < kills + nodes; round++) {
        scenario.write(scenario.coldWriter(), Scenario.events(perRound - writes));
        processes.add(new DeliveringProcess(scenario.database, directory, lease, writes));
        if (round >= nodes - 1 && round < kills + nodes - 1) {
          killAtSomeMoment(running(processes), random, perRound);
        }
      }
      finish(scenario, processes, what);
    } finally {
      processes.forEach(DeliveringProcess::close);
    }
  }

  private static void finish(Scenario scenario, List<DeliveringProcess> processes, String what)
      throws Exception {
    try {
      for (DeliveringProcess process : running(processes)) {
        process.awaitWritten();
      }
      scenario.awaitFinished(Duration.ofMinutes(2));
      for (DeliveringProcess process : running(processes)) {
        process.end();
      }
      Findings findings = Findings.of(Map.of(), deliveries(processes), Findings.rows(scenario));
      System.out.printf("  %s: %s%n", what, findings.summary());
      findings.assertAtLeastOnce();
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE attempts > 0"))
          .as("events whose attempts count the end of a process as a failure")
          .isEmpty();
    } catch (AssertionError e) {
      processes.forEach(process -> System.out.println(process.output()));
      throw e;
    }
  }

  private static List<DeliveringProcess> running(List<DeliveringProcess> processes) {
    return processes.stream().filter(DeliveringProcess::isAlive).toList();
  }

  /** Mostly after some deliveries, sometimes after some time: perhaps before it has begun. */
  private static void killAtSomeMoment(
      List<DeliveringProcess> running, Random random, int deliveries) throws InterruptedException {
    DeliveringProcess process = running.get(random.nextInt(running.size()));
    boolean early = random.nextInt(4) == 0;
    int target = process.deliveries() + 1 + random.nextInt(deliveries);
    long nanos = early ? 1_000_000L * random.nextInt(EARLY_MILLIS) : MAX_WAIT.toNanos();
    long started = System.nanoTime();
    Await.until(
        "a moment to kill a process",
        Duration.ofMinutes(1),
        () -> process.deliveries() >= target || System.nanoTime() - started > nanos);
    process.kill();
    System.out.printf("  killed after %d deliveries%n", process.deliveries());
  }

  private static List<Delivered> deliveries(List<DeliveringProcess> processes) {
    List<Delivered> deliveries = new ArrayList<>();
    for (int i = 0; i < processes.size(); i++) {
      String node = "process " + i;
      processes.get(i).delivered().forEach(id -> deliveries.add(new Delivered(id, node, false, 0)));
    }
    return deliveries;
  }
}
