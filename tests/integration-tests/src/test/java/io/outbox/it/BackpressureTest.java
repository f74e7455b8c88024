package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.RecordingMetrics;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R13: memory is bounded by the settings, and a writer never waits for delivery. */
@Timeout(300)
class BackpressureTest {

  private final CountDownLatch release = new CountDownLatch(1);
  private final RecordingMetrics metrics = new RecordingMetrics();

  @AfterEach
  void letListenersGo() {
    release.countDown();
  }

  private DispatchResult stuck(EventEnvelope event) throws InterruptedException {
    release.await();
    return DispatchResult.done();
  }

  private static void awaitPolls(Tap<OutboxStore> store, int count) {
    int last = store.calls("fetchPending") + count;
    await().until(() -> store.calls("fetchPending") > last);
  }

  @EachDatabase
  void R13_whileAListenerIsStuckTheQueuesHoldWhatTheyMayAndWritersGoOn(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.deliveries.then(this::stuck);
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .metrics(metrics)
                  .hotQueueCapacity(5)
                  .coldQueueCapacity(5)
                  .workerCount(1)
                  .intervalMs(200));
      for (int i = 0; i < 50; i++) {
        scenario.write(outbox.writer(), Scenario.event());
      }
      // one runs, five wait on each side; the rest is where it is safe
      await().until(() -> metrics.coldEnqueued() >= 5);
      assertThat(metrics.hotEnqueued() + metrics.coldEnqueued()).isLessThanOrEqualTo(11);
      assertThat(metrics.hotDropped()).isGreaterThanOrEqualTo(39);
      assertThat(scenario.count(EventStatus.NEW)).isEqualTo(50);
      release.countDown();
      scenario.awaitAllDone(50);
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  private static int leased(Scenario scenario) {
    return scenario.query("SELECT event_id FROM outbox_event WHERE locked_by IS NOT NULL").size();
  }

  @Test
  void R13_aNodeBesideOthersClaimsNoMoreThanItMayQueue() {
    try (Scenario scenario = Scenario.on(TestDatabase.POSTGRES)) {
      Member member = new Member(scenario, "a");
      member.deliveries.then(this::stuck);
      member.start(
          Duration.ofMinutes(1),
          builder -> builder.workerCount(1).hotQueueCapacity(5).coldQueueCapacity(5));
      member.write(50);
      await().until(() -> member.metrics.coldEnqueued() >= 5);
      // what found no room is given back, and nothing is claimed instead
      await().during(Duration.ofMillis(500)).until(() -> leased(scenario) <= 11);
      release.countDown();
      scenario.awaitAllDone(50);
      assertThat(member.deliveries.repeated()).isEmpty();
    }
  }

  @Test
  void R13_theQueuesAreBoundedInBytesToo() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.deliveries.then(this::stuck);
      Tap<OutboxStore> store = scenario.storeTap();
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .outboxStore(store.proxy())
                  .metrics(metrics)
                  .maxQueuedBytes(50_000)
                  .workerCount(1)
                  .intervalMs(10));
      String twentyKilobytes = "\"" + "x".repeat(20_000) + "\"";
      List<EventEnvelope> events =
          Stream.generate(() -> EventEnvelope.ofJson(Scenario.TYPE, twentyKilobytes))
              .limit(20)
              .toList();
      scenario.write(outbox.writer(), events.get(0));
      await().until(() -> scenario.deliveries.count() == 1);
      scenario.write(outbox.writer(), events.subList(1, 20));
      // larger than the bound: it is delivered when it is alone
      scenario.write(
          outbox.writer(), EventEnvelope.ofJson(Scenario.TYPE, "\"" + "x".repeat(100_000) + "\""));
      awaitPolls(store, 1);
      assertThat(metrics.hotEnqueued() + metrics.coldEnqueued()).isLessThanOrEqualTo(1 + 2);
      release.countDown();
      scenario.awaitAllDone(21);
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  @Test
  void R13_outcomesThatCannotBeWrittenHoldUpTheListeners() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      Tap<OutboxStore> store = scenario.storeTap();
      store.on(
          "recordOutcomes",
          call -> {
            release.await();
            return call.proceed();
          });
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .outboxStore(store.proxy())
                  .hotQueueCapacity(5)
                  .coldQueueCapacity(5)
                  .workerCount(2)
                  .intervalMs(10));
      for (int i = 0; i < 100; i++) {
        scenario.write(outbox.writer(), Scenario.event());
      }
      // as many outcomes as the queues hold events, and one in the hands of each worker
      await().until(() -> scenario.deliveries.count() >= 12);
      assertThat(scenario.deliveries.count()).isEqualTo(12);
      release.countDown();
      scenario.awaitAllDone(100);
      assertThat(scenario.deliveries.count()).isEqualTo(100);
    }
  }

  @EachDatabase
  void R13_aWriteAfterCloseWaitsForTheNextStart(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox single = scenario.start(scenario.singleNode());
      single.close();
      Member member = new Member(scenario, "a").start(Duration.ofMinutes(5));
      member.outbox().close();
      String first = scenario.write(single.writer(), Scenario.event());
      String second = member.write();
      assertThat(scenario.counts()).containsOnlyKeys(EventStatus.NEW);
      assertThat(scenario.column("locked_by", second)).as("nobody would deliver it").isNull();

      scenario.start(scenario.singleNode());
      scenario.awaitAllDone(2);
      assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrder(first, second);
      assertThat(member.deliveries.ids()).isEmpty();
    }
  }
}
