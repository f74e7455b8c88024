package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.dead.DeadEventManager;
import io.outbox.model.EventStatus;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingMetrics;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;

/** R6: an event moves along the allowed ways only, whatever comes late. */
@Timeout(300)
class StateTest {

  @EachDatabase
  void R6_aReplayedEventIsDeliveredAsIfItWereNew(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.deliveries.then(event -> DispatchResult.dead("not today"));
      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(20));
      String id = scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitStatus(id, EventStatus.DEAD);
      long leaseNumber = scenario.number("lease_no", id);
      DeadEventManager dead = new DeadEventManager(scenario.connections, scenario.store);
      assertThat(dead.count(Scenario.TYPE)).isEqualTo(1);

      CountDownLatch release = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      assertThat(dead.replay(id)).isTrue();
      assertThat(dead.replay(id)).as("it is not dead any more").isFalse();
      assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
      assertThat(scenario.number("attempts", id)).isZero();
      assertThat(scenario.column("last_error", id)).isNull();
      assertThat(scenario.number("lease_no", id)).isGreaterThan((int) leaseNumber);
      release.countDown();
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.deliveries.countOf(id)).isEqualTo(2);
      assertThat(dead.count(null)).isZero();
    }
  }

  /** Killed and replayed by an operator while its listener runs. */
  @EachDatabase
  void R6_theOutcomeFromBeforeAReplayDoesNotSwallowTheEvent(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      RecordingMetrics metrics = new RecordingMetrics();
      CountDownLatch release = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.singleNode().metrics(metrics).intervalMs(20));
      String id = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.deliveries.has(id));
      killAndReplay(scenario, id);
      release.countDown();

      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.deliveries.countOf(id)).isEqualTo(2);
      await().until(() -> metrics.successes() == 1);
      assertThat(metrics.outcomes()).isEqualTo(1);
    }
  }

  @EachDatabase
  void R6_theOutcomeFromBeforeAReplayIsLostBesideOtherNodesToo(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      Member first = new Member(scenario, "first");
      first.deliveries.then(
          event -> {
            release.await();
            throw new IllegalStateException("late");
          });
      first.start(Duration.ofMinutes(1));
      String id = first.write();
      await().until(() -> first.deliveries.has(id));
      killAndReplay(scenario, id);
      CountDownLatch releaseSecond = new CountDownLatch(1);
      Member second = new Member(scenario, "second");
      second.deliveries.then(
          event -> {
            releaseSecond.await();
            return DispatchResult.done();
          });
      second.start(Duration.ofMinutes(1));
      await().until(() -> second.deliveries.has(id));
      release.countDown();
      first.outbox().close(); // writes what it can

      assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
      assertThat(second.holds(id)).isTrue();
      assertThat(scenario.number("attempts", id)).isZero();
      releaseSecond.countDown();
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(second.deliveries.ids()).containsExactly(id);
      assertThat(first.metrics.outcomes()).isZero();
    }
  }

  private static void killAndReplay(Scenario scenario, String id) {
    DeadEventManager dead = new DeadEventManager(scenario.connections, scenario.store);
    assertThat(
            scenario.update(
                "UPDATE outbox_event SET status = 3, locked_by = NULL, locked_at = NULL"
                    + " WHERE event_id = ?",
                id))
        .isEqualTo(1);
    assertThat(dead.replay(id)).isTrue();
  }

  @EachDatabase
  void R6_aLateFailureDoesNotReviveAFinishedEvent(TestDatabase kind) {
    assertLateOutcomeChangesNothing(
        kind,
        EventStatus.DONE,
        () -> {
          throw new IllegalStateException("late");
        });
  }

  @EachDatabase
  void R6_aLateSuccessDoesNotReviveADeadEvent(TestDatabase kind) {
    assertLateOutcomeChangesNothing(kind, EventStatus.DEAD, DispatchResult::done);
  }

  @EachDatabase
  void R6_aLateDeferralDoesNotReviveADeadEvent(TestDatabase kind) {
    assertLateOutcomeChangesNothing(
        kind, EventStatus.DEAD, () -> DispatchResult.retryAfter(Duration.ZERO));
  }

  @FunctionalInterface
  private interface LateAnswer {
    DispatchResult give() throws Exception;
  }

  private static void assertLateOutcomeChangesNothing(
      TestDatabase kind, EventStatus finished, LateAnswer answer) {
    try (Scenario scenario = Scenario.on(kind)) {
      RecordingMetrics metrics = new RecordingMetrics();
      Tap<OutboxStore> store = scenario.storeTap();
      CountDownLatch release = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            release.await();
            return answer.give();
          });
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .outboxStore(store.proxy())
                  .metrics(metrics)
                  .retryPolicy(attempts -> 0)
                  .intervalMs(20));
      String id = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.deliveries.has(id));
      scenario.update("UPDATE outbox_event SET status = ? WHERE event_id = ?", finished.code(), id);
      release.countDown();
      outbox.close();

      assertThat(store.calls("recordOutcomes")).isEqualTo(1);
      assertThat(scenario.status(id)).isEqualTo(finished);
      assertThat(scenario.number("attempts", id)).isZero();
      assertThat(scenario.deliveries.countOf(id)).isEqualTo(1);
      assertThat(metrics.outcomes()).isZero();
    }
  }
}
