package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Timeout;

/** R18: somebody interrupts the threads of an outbox, and all of them go on. */
@Timeout(300)
class StrayInterruptTest {

  private static final int ROUNDS = 5;
  private static final int EVENTS = 50;

  @EachDatabase
  void R18_singleNodeSurvivesInterrupts(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      survives(
          scenario,
          scenario
              .singleNode()
              .checkRowsBeforeHotDelivery(true)
              .listenerTimeout(Duration.ofSeconds(20)));
    }
  }

  @EachDatabase
  void R18_multiNodeSurvivesInterrupts(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      survives(scenario, scenario.multiNode(Duration.ofSeconds(10)));
    }
  }

  @EachDatabase
  void R18_orderedSurvivesInterrupts(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      survives(scenario, scenario.ordered());
    }
  }

  @EachDatabase
  void R18_orderedByKeySurvivesInterrupts(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      survives(
          scenario,
          scenario
              .orderedByKey()
              .laneLease(Duration.ofSeconds(10))
              .notifications(kind == TestDatabase.POSTGRES));
    }
  }

  /** Who waits in a socket for what other nodes tell does not notice, which is as good. */
  private static boolean isUnnoticed(Thread thread) {
    return thread.isInterrupted() && !thread.getName().startsWith("outbox-listen-");
  }

  private static <B extends Outbox.DispatchingBuilder<B>> void survives(
      Scenario scenario, B builder) {
    Set<String> dead = ConcurrentHashMap.newKeySet();
    Set<Thread> before = OutboxThreads.alive();
    Outbox outbox =
        scenario.start(
            builder
                .intervalMs(50)
                .purger((conn, until, limit) -> 0)
                .onDead((event, reason) -> dead.add(event.eventId())));
    scenario.write(outbox.writer(), Scenario.events(EVENTS));
    scenario.awaitAllDone(EVENTS);
    Set<Thread> threads = OutboxThreads.alive();
    threads.removeAll(before);
    for (int round = 0; round < ROUNDS; round++) {
      threads.forEach(Thread::interrupt);
      await().until(() -> threads.stream().noneMatch(StrayInterruptTest::isUnnoticed));
    }
    List<EventEnvelope> hot = Scenario.events(EVENTS / 2);
    List<EventEnvelope> cold = Scenario.events(EVENTS / 2);
    scenario.write(outbox.writer(), hot);
    scenario.write(scenario.coldWriter(), cold);
    scenario.awaitAllDone(2 * EVENTS);
    assertThat(threads).allMatch(Thread::isAlive);

    scenario.deliveries.then(
        event -> {
          throw new UnrecoverableException("never");
        });
    String last = scenario.write(outbox.writer(), Scenario.event());
    scenario.awaitStatus(last, EventStatus.DEAD);
    await().until(() -> dead.contains(last));
    scenario.deliveries.then(event -> DispatchResult.done());
  }
}
