package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventEnvelope;
import io.outbox.it.KeyJournal.Entry;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * R5 by key: a process that sleeps for longer than its lease. The call that ran when it fell asleep
 * cannot be taken back and may overlap with the next owner's; nothing else may go wrong.
 */
class PausedNodeTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int KEYS = 100;
  private static final int FOLLOWERS = 20;
  private static final int EVENTS_BETWEEN = 2000;
  private static final Duration ONE_SECOND = Duration.ofSeconds(1);

  @TempDir Path directory;

  @EachServer
  void R5_whatASleeperHasInMemoryIsNotDeliveredWhenItWakesUp(TestDatabase kind) throws Exception {
    try (OrderedCluster cluster = new OrderedCluster(kind, directory, 0)) {
      Scenario scenario = cluster.scenario;
      OrderedProcess sleeper = cluster.start();
      List<String> ids = scenario.write(scenario.coldWriter(), heldAndFollowers());
      await().until(() -> sleeper.called().contains(ids.get(0)));
      fallAsleep(scenario, sleeper);
      OrderedProcess owner = cluster.start();
      owner.finishHeld();
      scenario.awaitAllDone(ids.size());
      Set<List<Object>> rows = rows(scenario);

      sleeper.finishHeld(); // the next of the key could start at once
      sleeper.resume();
      List<String> more = awaitLanesOf(sleeper, scenario);
      scenario.awaitAllDone(ids.size() + more.size());
      assertThat(rows(scenario)).containsAll(rows);
      assertThat(sleeper.journal().calls())
          .filteredOn(call -> ids.contains(call.eventId()))
          .extracting(Entry::eventId)
          .containsExactly(ids.get(0));
      cluster.finish(ids.size() + more.size());
    }
  }

  @EachServer
  void R5_theOutcomeOfASleeperIsNotWrittenWhileTheNextOwnerIsAtWork(TestDatabase kind)
      throws Exception {
    try (OrderedCluster cluster = new OrderedCluster(kind, directory, 0)) {
      Scenario scenario = cluster.scenario;
      OrderedProcess sleeper = cluster.start();
      List<String> ids = scenario.write(scenario.coldWriter(), heldAndFollowers());
      await().until(() -> sleeper.called().contains(ids.get(0)));
      fallAsleep(scenario, sleeper);
      OrderedProcess owner = cluster.start();
      await().until(() -> owner.called().contains(ids.get(0)));
      Set<List<Object>> rows = rows(scenario);

      sleeper.giveUpHeld("much too late");
      sleeper.resume();
      List<String> more = awaitLanesOf(sleeper, scenario);
      assertThat(rows(scenario)).containsAll(rows);
      owner.finishHeld();
      scenario.awaitAllDone(ids.size() + more.size());
      assertThat(scenario.column("last_error", ids.get(0))).isNull();
      cluster.finish(ids.size() + more.size());
    }
  }

  /** Writes until it delivers again: what it should not do it has had the time to do. */
  private static List<String> awaitLanesOf(OrderedProcess process, Scenario scenario) {
    List<String> ids = new ArrayList<>();
    await()
        .pollInterval(Duration.ofMillis(200))
        .until(
            () -> {
              ids.addAll(scenario.write(scenario.coldWriter(), eventsOfManyKeys()));
              return !Collections.disjoint(process.called(), ids);
            });
    return ids;
  }

  /** The sleeper has the first one in its listener, and the others in memory. */
  private static List<EventEnvelope> heldAndFollowers() {
    List<EventEnvelope> events = new ArrayList<>();
    events.add(event(OrderedProcess.HELD, "slow"));
    for (int i = 0; i < FOLLOWERS; i++) {
      events.add(event(Scenario.TYPE, "slow"));
    }
    return events;
  }

  private static List<EventEnvelope> eventsOfManyKeys() {
    return IntStream.range(0, KEYS).mapToObj(i -> event(Scenario.TYPE, "key-" + i)).toList();
  }

  private static EventEnvelope event(String type, String key) {
    return EventEnvelope.builder(type).orderingKey(key).payloadJson("{}").build();
  }

  /** Between two transactions: others would wait for what it has locked. */
  private static void fallAsleep(Scenario scenario, OrderedProcess process) throws Exception {
    for (process.pause(); !isIdle(scenario); process.pause()) {
      process.resume();
    }
  }

  private static boolean isIdle(Scenario scenario) {
    String others =
        scenario.database.kind() == TestDatabase.POSTGRES
            ? "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
                + " AND state <> 'idle' AND pid <> pg_backend_pid()"
            : "SELECT trx_id FROM information_schema.innodb_trx";
    try {
      await().atMost(ONE_SECOND).until(() -> scenario.query(others), List::isEmpty);
      return true;
    } catch (ConditionTimeoutException e) {
      return false;
    }
  }

  private static Set<List<Object>> rows(Scenario scenario) {
    return Set.copyOf(
        scenario.query("SELECT event_id, status, attempts, claims, done_at FROM outbox_event"));
  }

  @EachServer
  void R5_theOrderOfEachKeyIsKeptWhileProcessesFallAsleep(TestDatabase kind) throws Exception {
    fallAsleepAgainAndAgain(kind, 2);
  }

  @RepeatedTest(5)
  @Tag("soak")
  void R5_soakOfProcessesThatFallAsleep() throws Exception {
    fallAsleepAgainAndAgain(TestDatabase.POSTGRES, 20);
    fallAsleepAgainAndAgain(TestDatabase.MARIADB, 20);
  }

  private void fallAsleepAgainAndAgain(TestDatabase kind, int times) throws Exception {
    try (OrderedCluster cluster = new OrderedCluster(kind, directory, KEYS)) {
      for (int i = 0; i < 3; i++) {
        cluster.start();
      }
      int done = 0;
      for (int i = 0; i < times; i++) {
        cluster.awaitDone(done + EVENTS_BETWEEN);
        OrderedProcess sleeper = cluster.any();
        sleeper.pause();
        long asleep = System.nanoTime();
        // Not until the others have all its lanes: it may have some locked in the database.
        Await.until(
            "leases to end",
            PATIENCE,
            () -> System.nanoTime() - asleep > OrderedProcess.LEASE.multipliedBy(2).toNanos());
        sleeper.resume();
        done = cluster.scenario.count(EventStatus.DONE);
      }
      cluster.finish(done + EVENTS_BETWEEN);
    }
  }
}
