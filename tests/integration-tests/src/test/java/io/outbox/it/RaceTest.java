package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dead.DeadEventManager;
import io.outbox.it.Ledger.Delivered;
import io.outbox.jdbc.purge.H2EventPurger;
import io.outbox.jdbc.purge.MySqlEventPurger;
import io.outbox.jdbc.purge.PostgresEventPurger;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.spi.EventPurger;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** What works on the same rows at the same time: claims, outcomes, replays and purges. */
class RaceTest {

  private static final Duration LEASE = Duration.ofMinutes(2);
  private static final Duration FUTURE = Duration.ofHours(1);

  private static final Logger ENGINE = Logger.getLogger("io.outbox.internal.record.OutcomeSettler");

  /** It logs each event that dies: here that is thousands. */
  @BeforeAll
  static void silence() {
    ENGINE.setLevel(Level.OFF);
  }

  @AfterAll
  static void unsilence() {
    ENGINE.setLevel(null);
  }

  // ---- replay against purge

  @EachDatabase
  void R1_aReplayedEventIsNotPurgedBeforeItIsDeliveredAgain(TestDatabase kind) throws Exception {
    replayAgainstPurge(kind, 15);
  }

  @EachDatabase
  @Tag("soak")
  void R1_soakOfReplayAgainstPurge(TestDatabase kind) throws Exception {
    replayAgainstPurge(kind, 300);
  }

  private static void replayAgainstPurge(TestDatabase kind, int rounds) throws Exception {
    int eventsPerRound = 60;
    Random random = seeded("replay against purge on " + kind);
    Ledger ledger = new Ledger();
    Set<String> replayed = new HashSet<>();
    try (Scenario scenario = Scenario.on(kind);
        Node node = new Node(scenario, "node");
        Threads threads = new Threads()) {
      node.start(
          Outbox.singleNode().intervalMs(5),
          ledger.listening("node", event -> DispatchResult.done()));
      DeadEventManager dead = new DeadEventManager(scenario.connections, scenario.store);
      EventPurger purger = purger(kind);
      for (int round = 0; round < rounds; round++) {
        List<String> ids = deadEvents(scenario, eventsPerRound);
        Collections.shuffle(ids, random);
        CyclicBarrier together = new CyclicBarrier(2);
        Future<Set<String>> replaying =
            threads.start(
                () -> {
                  together.await();
                  return ids.stream().filter(dead::replay).collect(Collectors.toSet());
                });
        Future<Void> purging =
            threads.start(
                () -> {
                  together.await();
                  while (scenario.count(EventStatus.DEAD) > 0) {
                    purge(scenario, purger, 2);
                  }
                  return null;
                });
        replayed.addAll(replaying.get());
        purging.get();
      }
      scenario.awaitFinished(Duration.ofSeconds(90));
    }
    assertThat(ledger.deliveries().stream().map(Delivered::eventId).toList())
        .as("what was delivered is what was replayed, once")
        .containsExactlyInAnyOrderElementsOf(replayed);
    System.out.printf("  %d of %d replayed%n", replayed.size(), rounds * eventsPerRound);
  }

  /** Never delivered so far. */
  private static List<String> deadEvents(Scenario scenario, int count) throws Exception {
    List<EventEnvelope> events = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      // Not due for now, so that nobody delivers it before it is dead.
      events.add(
          EventEnvelope.builder(Scenario.TYPE).payloadJson("{}").deliverAfter(FUTURE).build());
    }
    List<String> ids = new ArrayList<>(scenario.write(scenario.coldWriter(), events));
    try (Connection conn = scenario.pool.getConnection()) {
      for (String id : ids) {
        assertThat(scenario.store.markDead(conn, id, "told to die")).isEqualTo(1);
      }
    }
    return ids;
  }

  private static int purge(Scenario scenario, EventPurger purger, int limit) throws Exception {
    try (Connection conn = scenario.pool.getConnection()) {
      return Deadlocks.retried(() -> purger.purge(conn, Instant.now().plus(FUTURE), limit));
    }
  }

  private static EventPurger purger(TestDatabase kind) {
    return switch (kind) {
      case H2 -> new H2EventPurger();
      case POSTGRES -> new PostgresEventPurger();
      default -> new MySqlEventPurger();
    };
  }

  // ---- replay of an event in flight

  @EachDatabase
  void R6_anEventKilledAndReplayedWhileItIsDeliveredIsDeliveredAgain(TestDatabase kind)
      throws Exception {
    replayInFlight(kind, Outbox.singleNode());
    replayInFlight(kind, Outbox.multiNode().claimLocking(LEASE));
  }

  private static void replayInFlight(TestDatabase kind, Outbox.DeliveringBuilder<?> builder)
      throws Exception {
    int count = 20;
    Ledger ledger = new Ledger();
    CountDownLatch replayed = new CountDownLatch(1);
    try (Scenario scenario = Scenario.on(kind);
        Node node = new Node(scenario, "node")) {
      DeadEventManager dead = new DeadEventManager(scenario.connections, scenario.store);
      node.start(
          builder.intervalMs(5).workerCount(count),
          ledger.listening(
              "node",
              event -> {
                replayed.await();
                return DispatchResult.done();
              }));
      List<String> ids = scenario.write(scenario.coldWriter(), Scenario.events(count));
      await().until(() -> ledger.count() == count);
      for (String id : ids) {
        try (Connection conn = scenario.pool.getConnection()) {
          assertThat(scenario.store.markDead(conn, id, "killed by an operator")).isEqualTo(1);
        }
        assertThat(dead.replay(id)).isTrue();
      }
      replayed.countDown();
      scenario.awaitFinished(Duration.ofSeconds(90));
      node.close();
      assertThat(deliveries(ledger)).as("R6: delivered in both lives").hasSize(count);
      assertThat(deliveries(ledger).values()).containsOnly(2);
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, count));
      assertThat(node.metrics.successes()).as("R9: the second life's only").isEqualTo(count);
    }
  }

  // ---- claims on auto-commit connections

  @EachDatabase
  void R4_claimersOnAutoCommitConnectionsNeverShareAnEvent(TestDatabase kind) throws Exception {
    int events = 600;
    int claimers = 4;
    try (Scenario scenario = Scenario.on(kind);
        Threads threads = new Threads()) {
      List<Future<List<String>>> claiming = new ArrayList<>();
      CyclicBarrier together = new CyclicBarrier(claimers + 1);
      for (int i = 0; i < claimers; i++) {
        String owner = "claimer-" + i;
        claiming.add(
            threads.start(
                () -> {
                  together.await();
                  List<String> claimed = new ArrayList<>();
                  while (scenario.count(EventStatus.NEW) < events || unclaimed(scenario) > 0) {
                    claimed.addAll(claim(scenario, owner));
                  }
                  return claimed;
                }));
      }
      together.await();
      for (int i = 0; i < events / 30; i++) {
        scenario.write(scenario.coldWriter(), Scenario.events(30));
      }
      List<String> all = new ArrayList<>();
      for (Future<List<String>> each : claiming) {
        all.addAll(each.get());
      }
      assertThat(all).hasSize(events).doesNotHaveDuplicates();
      assertThat(scenario.query("SELECT DISTINCT lease_no FROM outbox_event").toString())
          .isEqualTo("[[1]]");
    }
  }

  private static long unclaimed(Scenario scenario) {
    return ((Number)
            scenario
                .query("SELECT COUNT(*) FROM outbox_event WHERE locked_by IS NULL")
                .get(0)
                .get(0))
        .longValue();
  }

  private static List<String> claim(Scenario scenario, String owner) throws Exception {
    try (Connection conn = scenario.pool.getConnection()) {
      assertThat(conn.getAutoCommit()).isTrue();
      Instant now = scenario.store.currentTime(conn).orElseThrow();
      List<String> ids =
          scenario.store.claimPending(conn, owner, now, now.minus(LEASE), Duration.ZERO, 7).stream()
              .map(OutboxEvent::eventId)
              .toList();
      assertThat(conn.getAutoCommit()).isTrue();
      return ids;
    }
  }

  // ---- everything at once

  @EachDatabase
  void R1_R6_everythingAtOnceLosesNothingAndBreaksNoRule(TestDatabase kind) throws Exception {
    everythingAtOnce(kind, Duration.ofSeconds(2));
  }

  @EachDatabase
  @Tag("soak")
  void R1_R6_soakOfEverythingAtOnce(TestDatabase kind) throws Exception {
    everythingAtOnce(kind, Duration.ofMinutes(1));
  }

  /** Two nodes deliver with mixed results; dead events are replayed, finished ones purged. */
  private static void everythingAtOnce(TestDatabase kind, Duration duration) throws Exception {
    Random random = seeded("everything at once on " + kind);
    Ledger ledger = new Ledger();
    try (Scenario scenario = Scenario.on(kind);
        Writers writers = new Writers(ledger, random.nextLong());
        Threads threads = new Threads()) {
      Audit audit = Audit.of(scenario);
      List<Node> nodes = new ArrayList<>();
      try {
        for (String name : List.of("node-a", "node-b")) {
          nodes.add(
              new Node(scenario, name)
                  .start(
                      Outbox.multiNode()
                          .claimLocking(name, LEASE)
                          .intervalMs(5)
                          .hotQueueCapacity(20)
                          .maxAttempts(3)
                          .retryPolicy(attempts -> 1),
                      ledger.listening(name, moody())));
        }
        long end = System.nanoTime() + duration.toNanos();
        Future<Void> purging = threads.start(() -> purgeUntil(end, scenario));
        List<Future<Integer>> replaying = new ArrayList<>();
        nodes.forEach(node -> replaying.add(threads.start(() -> replayUntil(end, scenario))));
        // New events keep coming, but not more than can be followed.
        for (Node node : nodes) {
          writers.start(node, 1, Integer.MAX_VALUE);
        }
        Await.until("the end", duration.plusSeconds(60), () -> System.nanoTime() - end > 0);
        writers.stop();
        writers.join();
        purging.get();
        int replays = 0;
        for (Future<Integer> each : replaying) {
          replays += each.get();
        }
        awaitFinished(scenario, audit);
        nodes.forEach(Node::close);
        check(scenario, audit, ledger, nodes, replays);
      } finally {
        nodes.forEach(Node::close);
      }
    }
  }

  /** Well before leases end: nothing may wait for that. */
  private static void awaitFinished(Scenario scenario, Audit audit) {
    try {
      scenario.awaitFinished(LEASE.dividedBy(2));
    } catch (AssertionError e) {
      Set<String> stuck =
          scenario.query("SELECT event_id FROM outbox_event WHERE status IN (0, 2)").stream()
              .map(row -> (String) row.get(0))
              .collect(Collectors.toSet());
      List<Audit.Change> changes =
          audit.changes().stream().filter(change -> stuck.contains(change.eventId())).toList();
      throw new AssertionError("stuck after " + changes, e);
    }
  }

  private static EventListener moody() {
    return event -> {
      int mood = ThreadLocalRandom.current().nextInt(10);
      if (mood == 0) {
        throw new IllegalStateException("try again");
      }
      if (mood == 1) {
        return DispatchResult.retryAfter(Duration.ofMillis(1));
      }
      if (mood == 2) {
        LockSupport.parkNanos(5_000_000);
      }
      return mood > 6 ? DispatchResult.dead("no") : DispatchResult.done();
    };
  }

  private static Void purgeUntil(long end, Scenario scenario) throws Exception {
    EventPurger purger = purger(scenario.database.kind());
    while (System.nanoTime() - end < 0) {
      purge(scenario, purger, 3);
    }
    return null;
  }

  private static Integer replayUntil(long end, Scenario scenario) {
    DeadEventManager dead = new DeadEventManager(scenario.connections, scenario.store);
    int replays = 0;
    while (System.nanoTime() - end < 0) {
      for (OutboxEvent event : dead.query(null, null, 20)) {
        replays += dead.replay(event.eventId()) ? 1 : 0;
      }
    }
    return replays;
  }

  private static void check(
      Scenario scenario, Audit audit, Ledger ledger, List<Node> nodes, int replays) {
    Map<String, Integer> deliveries = deliveries(ledger);
    Map<String, List<Audit.Change>> changes = audit.assertTransitions(deliveries);
    assertThat(scenario.counts().keySet()).isSubsetOf(EventStatus.DONE, EventStatus.DEAD);
    ledger
        .fates()
        .forEach(
            (id, fate) -> {
              if (fate != Ledger.Fate.COMMITTED) {
                assertThat(deliveries).as("R2: rolled back").doesNotContainKey(id);
              } else {
                assertThat(changes).as("R1: lost").containsKey(id);
              }
            });
    List<Audit.Change> all = changes.values().stream().flatMap(List::stream).toList();
    assertThat(all.stream().filter(Audit.Change::isReplay).count()).isEqualTo(replays);
    long done = all.stream().filter(change -> change.becomes() == EventStatus.DONE).count();
    assertThat(nodes.stream().mapToLong(node -> node.metrics.successes()).sum())
        .as("R9: %s", nodes)
        .isEqualTo(done);
    System.out.printf(
        "  %d events, %d deliveries, %d replays, %d changes, %s%n",
        changes.size(), ledger.count(), replays, all.size(), nodes);
  }

  // ---- helpers

  private static Map<String, Integer> deliveries(Ledger ledger) {
    Map<String, Integer> counts = new HashMap<>();
    ledger.deliveries().forEach(each -> counts.merge(each.eventId(), 1, Integer::sum));
    return counts;
  }

  private static Random seeded(String what) {
    long seed = ThreadLocalRandom.current().nextLong();
    System.out.println(what + ", seed " + seed);
    return new Random(seed);
  }

  private static final class Threads implements AutoCloseable {
    private final ExecutorService executor = Executors.newCachedThreadPool();

    private <T> Future<T> start(Callable<T> work) {
      return executor.submit(work);
    }

    @Override
    public void close() {
      executor.shutdownNow();
    }
  }
}
