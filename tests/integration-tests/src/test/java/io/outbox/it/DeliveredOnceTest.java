package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.TxContext;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;

/** R3 and R4: without a failure each event is delivered once, though two paths lead to it. */
@Timeout(300)
class DeliveredOnceTest {

  @EachDatabase
  void R3_aPollerBesideTheHotPathDeliversNothingTwice(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(5));
      ExecutorService writers = Executors.newFixedThreadPool(3);
      try {
        for (Future<?> written :
            IntStream.range(0, 200)
                .mapToObj(
                    i -> writers.submit(() -> scenario.write(outbox.writer(), Scenario.event())))
                .toList()) {
          written.get();
        }
      } finally {
        writers.shutdown();
      }
      scenario.awaitAllDone(200);
      outbox.close();
      assertThat(scenario.deliveries.count()).isEqualTo(200);
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  @EachDatabase
  void R3_anEventThatThePollerTookBeforeTheCommitsCallbackIsNotDeliveredAgain(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store = scenario.storeTap();
      Tap<TxContext> slow = new Tap<>(TxContext.class, scenario.tx);
      slow.on(
          "afterCommit",
          call -> {
            Runnable callback = (Runnable) call.arguments()[0];
            call.arguments()[0] =
                (Runnable)
                    () -> {
                      await().until(() -> scenario.count(EventStatus.DONE) == 3);
                      callback.run();
                    };
            return call.proceed();
          });
      Outbox outbox =
          scenario.start(
              scenario
                  .singleNode()
                  .outboxStore(store.proxy())
                  .txContext(slow.proxy())
                  .intervalMs(5));
      List<String> ids = scenario.write(outbox.writer(), Scenario.events(3));
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, 3));
      outbox.close(); // delivers what the callback had queued
      assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @EachDatabase
  void R3_anEventWhoseOutcomeIsNotYetWrittenIsNotDeliveredAgain(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store = scenario.storeTap();
      store.on(
          "recordOutcomes",
          call -> {
            int polls = store.calls("fetchPending");
            await().until(() -> store.calls("fetchPending") > polls + 3);
            return call.proceed();
          });
      Outbox outbox =
          scenario.start(scenario.singleNode().outboxStore(store.proxy()).intervalMs(5));
      scenario.write(outbox.writer(), Scenario.events(3));
      scenario.write(scenario.coldWriter(), Scenario.events(3));
      scenario.awaitAllDone(6);
      outbox.close();
      assertThat(scenario.deliveries.count()).isEqualTo(6);
    }
  }

  @EachDatabase
  void R4_whatANodeHasOnItsHotPathIsLeftAloneByThePollersOfOthers(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      Member writer = new Member(scenario, "a");
      writer.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      writer.start(Duration.ofSeconds(30));
      Member other = new Member(scenario, "b").start(Duration.ofSeconds(30), b -> b.intervalMs(5));

      List<String> ids = writer.write(20);
      assertThat(writer.metrics.hotEnqueued()).isEqualTo(20);
      other.awaitPolls(10);
      assertThat(other.deliveries.ids()).isEmpty();
      release.countDown();
      scenario.awaitAllDone(20);
      other.awaitPolls(2);
      assertThat(other.deliveries.ids()).isEmpty();
      assertThat(writer.deliveries.ids()).containsExactlyInAnyOrderElementsOf(ids);
    }
  }

  @EachDatabase
  void R4_anEventThatFoundNoPlaceOnTheHotPathIsTakenByAnotherNodeAtOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      CountDownLatch release = new CountDownLatch(1);
      Member busy = new Member(scenario, "a");
      busy.deliveries.then(
          event -> {
            release.await();
            return DispatchResult.done();
          });
      // one event runs, one is queued on the hot path, one on the cold
      busy.start(
          Duration.ofSeconds(30),
          builder -> builder.workerCount(1).hotQueueCapacity(1).coldQueueCapacity(1));
      String running = busy.write();
      await().until(() -> busy.deliveries.has(running));
      Member idle = new Member(scenario, "b").start(Duration.ofSeconds(30));

      busy.write(10);
      await().until(() -> idle.deliveries.count() >= 8);
      release.countDown();
      scenario.awaitAllDone(11);
      assertThat(busy.deliveries.count() + idle.deliveries.count()).isEqualTo(11);
    }
  }
}
