package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.Outbox;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.PendingQuery;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R14, and the engine's side of R12: a backlog is worked off at the speed of the database. */
@Timeout(300)
class BacklogTest {

  private static final int BACKLOG = 5000;
  private static final int DEFAULT_BATCH = 50;
  private static final long DEFAULT_INTERVAL_MS = 5000;

  @EachDatabase
  void R14_aBacklogDrainsWithoutWaitingForIntervals(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      assertDrains(scenario, scenario.singleNode());
      assertThat(scenario.deliveries.count()).isEqualTo(BACKLOG);
    }
  }

  @Test
  void R14_aBacklogDrainsBesideOtherNodesToo() {
    try (Scenario scenario = Scenario.on(TestDatabase.POSTGRES)) {
      int read = assertDrains(scenario, scenario.multiNode(Duration.ofMinutes(5)));
      assertThat(scenario.deliveries.count()).isEqualTo(BACKLOG);
      // R12: what is read is what is delivered, but for what finds no room
      assertThat(read).isBetween(BACKLOG, BACKLOG + BACKLOG / 10);
    }
  }

  /** Returns how many rows were read for it. */
  private static int assertDrains(Scenario scenario, Outbox.AbstractBuilder<?> builder) {
    for (int i = 0; i < 5; i++) {
      scenario.write(scenario.coldWriter(), Scenario.events(BACKLOG / 5));
    }
    AtomicInteger rows = new AtomicInteger();
    AtomicInteger largest = new AtomicInteger();
    Tap<OutboxStore> store = scenario.storeTap();
    store.on(
        "fetchPending",
        call -> {
          largest.accumulateAndGet(((PendingQuery) call.arguments()[1]).limit(), Math::max);
          PendingBatch batch = (PendingBatch) call.proceed();
          rows.addAndGet(batch.events().size());
          return batch;
        });
    long start = System.nanoTime();
    scenario.start(builder.outboxStore(store.proxy()));
    await()
        .atMost(Duration.ofSeconds(100))
        .until(() -> scenario.count(EventStatus.DONE) == BACKLOG);
    Duration elapsed = Duration.ofNanos(System.nanoTime() - start);

    int polls = BACKLOG / DEFAULT_BATCH;
    int growth = scenario.store.limitsBytes() ? 20 : 1;
    // There may be less room than that in the queue.
    assertThat(largest.get()).isBetween(DEFAULT_BATCH * growth / 2, DEFAULT_BATCH * growth);
    assertThat(store.calls("fetchPending")).isGreaterThanOrEqualTo(polls / growth);
    assertThat(elapsed).isLessThan(Duration.ofMillis(polls * DEFAULT_INTERVAL_MS / 10));
    return rows.get();
  }

  @EachDatabase
  void R14_pollIsOneBatch(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      OutboxDispatcher dispatcher =
          scenario.closing(
              OutboxDispatcher.builder()
                  .connectionProvider(scenario.connections)
                  .outboxStore(scenario.store)
                  .listenerRegistry(scenario.registry)
                  .build());
      Tap<OutboxStore> store = scenario.storeTap();
      OutboxPoller poller =
          scenario.closing(
              OutboxPoller.builder()
                  .connectionProvider(scenario.connections)
                  .outboxStore(store.proxy())
                  .handler(new DispatcherPollerHandler(dispatcher))
                  .build());
      scenario.write(scenario.coldWriter(), Scenario.events(120));
      for (int done : new int[] {50, 100, 120}) {
        poller.poll();
        await().until(() -> scenario.count(EventStatus.DONE) == done);
        assertThat(scenario.deliveries.count()).isEqualTo(done);
      }
      assertThat(store.calls("fetchPending")).isEqualTo(3);
    }
  }
}
