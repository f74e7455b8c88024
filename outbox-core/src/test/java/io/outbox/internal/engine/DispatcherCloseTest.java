package io.outbox.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.EventListener;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.dispatch.QueuedEvent;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.fakes.OutboxThreads;
import io.outbox.model.EventStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** R15: the end is ordered, bounded and can be had twice. */
class DispatcherCloseTest {

  private final OutboxThreads threads = new OutboxThreads();
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  /** Far more than the drain timeout, what the interrupted get, and the last writes. */
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);

  /** Does not care about interrupts. */
  private final EventListener stuck =
      event -> {
        boolean waiting = true;
        while (waiting) {
          try {
            unblock.await();
            waiting = false;
          } catch (InterruptedException e) {
            // goes on
          }
        }
        return null;
      };

  @AfterEach
  void end() throws Exception {
    unblock.countDown();
    engine.close();
    await().untilAsserted(() -> assertThat(threads.alive()).isEmpty());
  }

  private static Duration timeToClose(OutboxDispatcher dispatcher) {
    long start = System.nanoTime();
    dispatcher.close();
    return Duration.ofNanos(System.nanoTime() - start);
  }

  @Test
  void R15_whatIsQueuedIsDelivered() {
    engine.dispatcherSettings.workerCount(2).drainTimeoutMs(90_000);
    engine.build();
    Events.events("e", 200).forEach(engine::write);
    engine.dispatcher().close();

    assertThat(engine.store.count(EventStatus.DONE)).isEqualTo(200);
    assertThat(engine.metrics.count("success")).isEqualTo(200);
  }

  @Test
  void R15_anIdleDispatcherClosesAtOnce() {
    engine.dispatcherSettings.drainTimeoutMs(600_000);
    engine.build();

    assertThat(timeToClose(engine.dispatcher())).isLessThan(BOUND);
  }

  @Test
  void R15_closingAgainDoesNothing() {
    engine.build();
    engine.dispatcher().close();
    engine.dispatcher().close();
  }

  @Test
  void R15_aClosedDispatcherTakesNothing() {
    engine.build();
    engine.dispatcher().close();

    QueuedEvent event = new QueuedEvent(Events.event("e"), QueuedEvent.Source.HOT, 0);
    assertThat(engine.dispatcher().enqueueHot(event)).isFalse();
    assertThat(engine.dispatcher().enqueueCold(event)).isFalse();
    assertThat(engine.dispatcher().coldQueueRemainingCapacity()).isZero();
  }

  @Test
  void R13_writingAfterTheEndLeavesARowThatIsNobodysYet() {
    engine.claiming(FIVE_MINUTES).build();
    engine.poller().poll();
    engine.dispatcher().close();
    engine.write(Events.event("e"));

    assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(engine.store.row("e").lease()).isNull();
    assertThat(engine.delivered()).isEmpty();
  }

  @Test
  void R15_aStuckListenerDoesNotHoldUpTheEnd() {
    engine.dispatcherSettings.workerCount(1);
    engine.listener(stuck).build();
    engine.write(Events.event("running"));
    await().until(() -> engine.delivered().contains("running"));
    engine.write(Events.event("queued"));

    assertThat(timeToClose(engine.dispatcher())).isLessThan(BOUND);
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(2);
  }

  @Test
  void R15_whatWasNotStartedIsReleasedAndWhatRunsKeepsItsLease() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(1);
    engine.listener(stuck).build();
    engine.store.seed(Events.event("running"));
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("running"));
    engine.write(Events.event("hot"));
    engine.store.seed(Events.event("cold"));
    engine.poller().poll();
    assertThat(engine.store.row("hot").lease()).isNotNull();
    assertThat(engine.store.row("cold").lease()).isNotNull();
    engine.dispatcher().close();

    assertThat(engine.store.row("running").lease()).isNotNull();
    for (String id : List.of("hot", "cold")) {
      assertThat(engine.store.row(id).lease()).as(id).isNull();
      assertThat(engine.store.row(id).claims()).as("R7: a gentle end does not count").isZero();
    }
    assertThat(engine.delivered()).containsExactly("running");
  }

  @Test
  void R3_aListenerThatComesBackAfterTheEndHasItsOutcomeWritten() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(1);
    engine.listener(stuck).build();
    engine.store.seed(Events.event("e"));
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("e"));
    engine.dispatcher().close();
    unblock.countDown();

    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }

  @Test
  void R15_aListenerThatHeedsTheInterruptIsNotCountedAsFailed() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    engine.build();
    engine.store.seed(Events.event("e"));
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("e"));
    engine.dispatcher().close();

    assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(engine.store.row("e").attempts()).isZero();
  }

  @Test
  void R15_anEventThatWaitsForASuspectIsReleased() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(2);
    engine.listener(stuck).build();
    engine.store.seed(Events.event("suspect"), row -> row.claims = 9);
    engine.poller().poll();
    await().until(() -> engine.delivered().contains("suspect"));
    engine.store.seed(Events.event("innocent"));
    engine.poller().poll();
    engine.dispatcher().close();

    await().until(() -> engine.store.row("innocent").lease() == null);
    assertThat(engine.delivered()).containsExactly("suspect");
    assertThat(engine.store.row("suspect").lease()).isNotNull();
  }

  @Test
  void R15_aListenerMayCloseItsOwnDispatcher() {
    AtomicBoolean closed = new AtomicBoolean();
    engine.dispatcherSettings.workerCount(1).drainTimeoutMs(600_000);
    engine.listener(
        event -> {
          engine.dispatcher().close();
          closed.set(true);
          return null;
        });
    engine.build();
    engine.write(Events.event("e"));

    await().until(closed::get);
    await().until(() -> engine.store.status("e") == EventStatus.DONE);
  }

  @Test
  void R15_closingFromAListenerWhileAnotherThreadClosesEnds() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    engine.dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          running.countDown();
          unblock.await();
          engine.dispatcher().close();
          return null;
        });
    engine.build();
    engine.write(Events.event("e"));
    running.await();
    CompletableFuture<Void> other = CompletableFuture.runAsync(() -> engine.dispatcher().close());
    unblock.countDown();

    await().until(other::isDone);
  }

  @Test
  void R15_anInterruptedThreadClosesAllTheSame() throws Exception {
    engine.dispatcherSettings.drainTimeoutMs(90_000);
    engine.claiming(FIVE_MINUTES).build();
    engine.poller().poll();
    Events.events("e", 20).forEach(engine::write);
    Thread.currentThread().interrupt();
    engine.dispatcher().close();

    assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
    assertThat(engine.store.count(EventStatus.DONE)).isEqualTo(20);
    await().untilAsserted(() -> assertThat(threads.alive()).isEmpty());
  }

  @Test
  void R15_anInterruptDuringTheDrainCutsItShort() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(1).drainTimeoutMs(600_000);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    engine.build();
    engine.poller().poll();
    engine.write(Events.event("running"));
    await().until(() -> engine.delivered().contains("running"));
    engine.write(Events.event("queued"));
    Thread closer = new Thread(engine.dispatcher()::close);
    closer.start();
    await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
    closer.interrupt();

    await().until(() -> !closer.isAlive());
    assertThat(engine.store.row("queued").lease()).isNull();
    await().untilAsserted(() -> assertThat(threads.alive()).isEmpty());
  }

  @Test
  void R15_theEndIsBoundedWhenTheDatabaseIsAway() {
    engine.build();
    engine.database.onConnect =
        () -> {
          throw new SQLException("refused", "08001");
        };
    engine.store.seed(Events.event("e"));
    engine.dispatcher().enqueueHot(new QueuedEvent(Events.event("e"), QueuedEvent.Source.HOT, 0));
    await().until(() -> engine.delivered().contains("e"));

    assertThat(timeToClose(engine.dispatcher())).isLessThan(BOUND);
    engine.database.onConnect = () -> {};
  }

  @Test
  void R15_theEndIsBoundedWhenTheDatabaseHangsAndWorkersWaitForIt() {
    engine.dispatcherSettings.hotQueueCapacity(1).coldQueueCapacity(1).workerCount(4);
    engine.store.before("recordOutcomes", outcomes -> awaitQuietly());
    engine.build();
    for (int i = 0; i < 10; i++) {
      String id = "e" + i;
      engine.store.seed(Events.event(id));
      await()
          .until(
              () ->
                  engine
                          .dispatcher()
                          .enqueueHot(new QueuedEvent(Events.event(id), QueuedEvent.Source.HOT, 0))
                      || engine.delivered().size() >= 6);
    }

    assertThat(timeToClose(engine.dispatcher())).isLessThan(BOUND);
  }

  @Test
  void R15_eventsThatWaitForTheirRowCheckAreReleased() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.checkRowsBeforeHotDelivery(true);
    engine.build();
    engine.poller().poll();
    engine.store.before("findExisting", ids -> awaitQuietly());
    engine.write(Events.event("looked at"));
    await().until(() -> engine.store.calls("findExisting") == 1);
    engine.write(Events.event("waiting"));
    engine.dispatcher().close();

    assertThat(engine.store.row("waiting").lease()).isNull();
    assertThat(engine.delivered()).isEmpty();
  }

  private void awaitQuietly() {
    try {
      unblock.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
