package io.outbox.internal.hot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.outbox.DefaultOutboxWriter;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.WriterHook;
import io.outbox.dispatch.DispatcherPollerHandler;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.dispatch.OutboxDispatcher;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.fakes.ManualClock;
import io.outbox.model.EventStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** From the commit straight to the listener. */
class HotPathTest {

  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);

  private final ManualClock clock = new ManualClock();
  private Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final EventListener blocked =
      event -> {
        unblock.await();
        return null;
      };

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
  }

  private void awaitDone(String id) {
    await().until(() -> engine.store.status(id) == EventStatus.DONE);
  }

  /** A dispatcher with leases knows the database's time from its first poll on. */
  private void buildClaiming() {
    engine.claiming(FIVE_MINUTES).build();
    engine.poller().poll();
  }

  // ---- one node

  @Test
  void aCommittedEventIsDeliveredWithoutAPoller() {
    engine.build();
    engine.write(Events.event("a"), Events.event("b"));

    awaitDone("a");
    awaitDone("b");
    assertThat(engine.store.calls("fetchPending")).isZero();
  }

  @Test
  void R2_whatIsRolledBackIsNotDelivered() {
    engine.build();
    engine.tx.begin();
    engine.writer().write(Events.event("gone"));
    engine.tx.rollback();
    engine.write(Events.event("next"));

    awaitDone("next");
    assertThat(engine.delivered()).containsExactly("next");
  }

  @Test
  void nothingIsDeliveredBeforeTheCommit() {
    engine.build();
    engine.tx.begin();
    engine.writer().write(Events.event("a"));
    engine.poller().poll();
    assertThat(engine.delivered()).isEmpty();
    engine.tx.commit();

    awaitDone("a");
  }

  @Test
  void aDelayedEventIsLeftToThePollerWhichIsWokenForIt() {
    engine.start();
    engine.write(
        EventEnvelope.builder(Events.TYPE)
            .eventId("later")
            .deliverAfter(Duration.ofMillis(100))
            .payloadJson("{}")
            .build());
    assertThat(engine.metrics.count("skippedDelayed")).isEqualTo(1);
    assertThat(engine.metrics.count("hot")).isZero();

    awaitDone("later");
    await().until(() -> engine.metrics.count("cold") == 1); // counted once it is queued
  }

  @Test
  void R13_aFullHotQueueDropsToThePollerWithAWarning() {
    engine.dispatcherSettings.workerCount(1).hotQueueCapacity(1);
    engine.listener(blocked).start();
    engine.write(Events.event("running"));
    await().until(() -> engine.delivered().contains("running"));
    engine.write(Events.event("queued"), Events.event("dropped"));

    assertThat(engine.metrics.count("dropped")).isEqualTo(1);
    assertThat(CapturedLogs.of(DispatcherWriterHook.class, Level.WARNING))
        .anySatisfy(text -> assertThat(text).contains("event dropped is handed to the poller"));
    unblock.countDown();
    awaitDone("dropped");
    awaitDone("queued");
    assertThat(engine.delivered()).doesNotHaveDuplicates();
  }

  @Test
  void R3_aPollBetweenCommitAndCallbackDeliversOnce() {
    engine.build();
    engine.tx.begin();
    engine.writer().write(Events.event("a"));
    List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
    engine.poller().poll();
    awaitDone("a");
    await().until(() -> engine.metrics.count("success") == 1);
    callbacks.forEach(Runnable::run);
    engine.write(Events.event("b"));

    awaitDone("b");
    assertThat(engine.delivered()).containsExactly("a", "b");
  }

  @Test
  void anEmptyBatchIsNothingToTheHook() {
    engine.build();
    for (WriterHook hook :
        List.of(
            new DispatcherWriterHook(engine.dispatcher(), engine.metrics),
            new WakingHook(engine.engine().wakeUps()))) {
      assertThat(hook.beforeWrite(List.of())).isEmpty();
      assertThat(hook.beforeInsert(List.of())).isEmpty();
      hook.insertFailed(List.of());
      hook.afterWrite(List.of());
      hook.afterCommit(List.of());
      hook.afterRollback(List.of());
    }

    assertThat(engine.metrics.count("hot")).isZero();
    assertThat(engine.store.calls("insertAll")).isZero();
    engine.write(Events.event("next"));
    awaitDone("next");
    assertThat(engine.delivered()).containsExactly("next");
  }

  @Test
  void aHookThatIsCalledByHandDelivers() {
    engine.build();
    engine.store.seed(Events.event("a"));
    new DispatcherWriterHook(engine.dispatcher()).afterCommit(List.of(Events.event("a")));

    awaitDone("a");
  }

  @Test
  void R3_aHookThatPassesOnThePublishedMethodsOnlyDeliversOnce() {
    engine.build();
    DispatcherWriterHook target = new DispatcherWriterHook(engine.dispatcher());
    DefaultOutboxWriter writer =
        new DefaultOutboxWriter(
            engine.tx,
            engine.store,
            new WriterHook() {
              @Override
              public void afterWrite(List<EventEnvelope> events) {
                target.afterWrite(events);
              }

              @Override
              public void afterCommit(List<EventEnvelope> events) {
                target.afterCommit(events);
              }

              @Override
              public void afterRollback(List<EventEnvelope> events) {
                target.afterRollback(events);
              }
            });
    engine.tx.begin();
    writer.write(Events.event("a"));
    List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
    engine.poller().poll();
    awaitDone("a");
    await().until(() -> engine.metrics.count("success") == 1);
    callbacks.forEach(Runnable::run);
    engine.tx.run(() -> writer.write(Events.event("b")));

    awaitDone("b");
    assertThat(engine.delivered()).containsExactly("a", "b");
  }

  // ---- with leases

  @Test
  void R4_anEventWithAPlaceIsBornLeasedToItsWriter() {
    engine.listener(blocked);
    buildClaiming();
    engine.write(Events.event("a"));

    assertThat(engine.store.row("a").lease().owner()).startsWith("node~");
    assertThat(engine.store.row("a").lease().number()).isEqualTo(1);
    unblock.countDown();
    awaitDone("a");
    assertThat(engine.store.row("a").lease()).isNull();
  }

  @Test
  void R4_beforeTheDatabasesTimeIsKnownEventsAreLeftToThePoller() {
    engine.claiming(FIVE_MINUTES).build();
    engine.write(Events.event("a"));
    assertThat(engine.store.row("a").lease()).isNull();
    assertThat(engine.metrics.count("dropped")).isEqualTo(1);

    engine.poller().poll();
    awaitDone("a");
  }

  @Test
  void R4_anEventWithoutAPlaceIsNobodysAndPolled() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.hotQueueCapacity(1);
    engine.start();
    await().until(() -> engine.store.calls("fetchPending") == 1);
    engine.tx.begin();
    engine.writer().writeAll(List.of(Events.event("first"), Events.event("second")));
    engine.tx.commit();

    awaitDone("first");
    awaitDone("second");
    assertThat(engine.metrics.count("hot")).isEqualTo(1);
    assertThat(engine.metrics.count("dropped")).isEqualTo(1);
    assertThat(engine.delivered()).doesNotHaveDuplicates();
  }

  @Test
  void aRollbackGivesItsPlacesBack() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.hotQueueCapacity(1);
    engine.build();
    engine.poller().poll();
    for (int i = 0; i < 5; i++) {
      engine.tx.begin();
      engine.writer().write(Events.event("gone" + i));
      engine.tx.rollback();
    }
    engine.write(Events.event("a"));

    awaitDone("a");
    assertThat(engine.metrics.count("hot")).isEqualTo(1);
  }

  @Test
  void aFailedInsertGivesItsPlacesBack() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.hotQueueCapacity(1);
    engine.build();
    engine.poller().poll();
    engine.store.before(
        "insertAll",
        rows -> {
          throw new IllegalStateException("injected");
        });
    engine.tx.begin();
    try {
      engine.writer().write(Events.event("refused"));
    } catch (IllegalStateException expected) {
      // and the transaction goes on without it
    }
    engine.tx.commit();
    engine.store.heal();
    engine.write(Events.event("a"));

    awaitDone("a");
    assertThat(engine.metrics.count("hot")).isEqualTo(1);
    assertThat(engine.delivered()).containsExactly("a");
  }

  @Test
  void aPollThatIsFirstGivesItsPlaceBack() throws Exception {
    engine.close();
    engine = new Engine(clock);
    engine.claiming(FIVE_MINUTES).dispatcherSettings.hotQueueCapacity(1);
    engine.build();
    engine.poller().poll();
    engine.tx.begin();
    engine.writer().write(Events.event("a"));
    clock.advance(Duration.ofSeconds(31)); // a long transaction
    List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
    engine.poller().poll();
    awaitDone("a");
    await().until(() -> engine.metrics.count("success") == 1);
    callbacks.forEach(Runnable::run);
    engine.write(Events.event("b"));

    awaitDone("b");
    assertThat(engine.delivered()).containsExactly("a", "b");
    assertThat(engine.metrics.count("hot")).isEqualTo(1);
  }

  @Test
  void R5_afterALongTransactionTheLeaseIsRenewedBeforeTheListenerIsCalled() throws Exception {
    engine.close();
    engine = new Engine(clock);
    buildClaiming();
    engine.tx.begin();
    engine.writer().write(Events.event("a"));
    clock.advance(Duration.ofSeconds(20));
    engine.tx.commit();

    awaitDone("a");
    // The keeper of leases may have come, too: the clock has jumped.
    assertThat(engine.store.calls("renewLeases")).isBetween(1L, 2L);
  }

  @Test
  void R4_anEventThatAnotherNodeHasClaimedMeanwhileIsLeftToIt() throws Exception {
    engine.close();
    engine = new Engine(clock);
    buildClaiming();
    engine.tx.begin();
    engine.writer().write(Events.event("a"));
    clock.advance(Duration.ofSeconds(40));
    List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
    engine.store.seed(
        Events.event("a"),
        row -> {
          row.lockedBy = "other";
          row.lockedAt = clock.instant();
          row.leaseNo = 2;
        });
    callbacks.forEach(Runnable::run);

    await().until(() -> engine.engine().held().size() == 0);
    assertThat(engine.delivered()).isEmpty();
    assertThat(engine.store.row("a").lease().owner()).isEqualTo("other");
  }

  @Test
  void R3_anIdThatAnotherTransactionIsWritingIsLeftToThePoller() {
    buildClaiming();
    engine.tx.begin();
    engine.writer().write(Events.event("a"));
    Thread other =
        new Thread(
            () -> {
              engine.tx.begin();
              try {
                engine.writer().write(Events.event("a"));
              } catch (IllegalStateException duplicate) {
                engine.tx.rollback();
              }
            });
    other.start();
    await().until(() -> !other.isAlive());
    engine.tx.commit();

    awaitDone("a");
    assertThat(engine.delivered()).containsExactly("a");
  }

  @Test
  void R14_sustainedHotLoadDoesNotStarveTheColdSide() {
    engine.claiming(FIVE_MINUTES).dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          unblock.await(20, TimeUnit.MILLISECONDS);
          return null;
        });
    engine.build();
    engine.poller().poll();
    // Slow enough for a budget of a few dozen, and far more than that waits on the hot side.
    for (int i = 0; i < 400; i++) {
      engine.write(Events.event("hot" + i));
    }
    await().until(() -> engine.delivered().size() >= 5);
    engine.store.seed(Events.event("cold"));
    engine.poller().poll();

    awaitDone("cold");
    assertThat(List.copyOf(engine.delivered()).indexOf("cold"))
        .as("long before the hot side was done")
        .isLessThan(300);
  }

  @Test
  void R5_aDispatcherLearnsOfClaimLockingFromItsPoller() {
    engine.pollerSettings.claimLocking("node", FIVE_MINUTES);
    engine.listener(blocked).build();
    engine.poller().poll();
    engine.write(Events.event("hot"));

    assertThat(engine.store.row("hot").lease()).isNotNull();
    unblock.countDown();
    awaitDone("hot");
  }

  @Test
  void R17_aDispatcherWithLeasesNeedsAPollerThatClaims() {
    engine.dispatcherSettings.claimLocking("node", FIVE_MINUTES);

    try (OutboxDispatcher dispatcher = engine.dispatcherSettings.build()) {
      engine.pollerSettings.handler(new DispatcherPollerHandler(dispatcher));
      assertThatIllegalStateException()
          .isThrownBy(() -> engine.pollerSettings.build())
          .withMessageContaining("claimLocking");
      engine.pollerSettings.claimLocking("node", Duration.ofMinutes(1));
      assertThatIllegalStateException()
          .isThrownBy(() -> engine.pollerSettings.build())
          .withMessageContaining("PT5M and PT1M");
    }
  }

  // ---- with a look at the row

  @Test
  void R2_withTheRowCheckARowThatIsGoneIsNotDelivered() {
    engine.dispatcherSettings.checkRowsBeforeHotDelivery(true);
    engine.build();
    engine.tx.begin();
    engine.writer().writeAll(List.of(Events.event("kept"), Events.event("undone")));
    List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
    engine.database.delete("undone"); // as by a savepoint nobody told us of
    callbacks.forEach(Runnable::run);

    awaitDone("kept");
    await().until(() -> engine.engine().held().size() == 0);
    assertThat(engine.delivered()).containsExactly("kept");
  }

  @Test
  void R4_withTheRowCheckALeasedEventKeepsItsPlace() {
    engine
        .claiming(FIVE_MINUTES)
        .dispatcherSettings
        .checkRowsBeforeHotDelivery(true)
        .hotQueueCapacity(2)
        .workerCount(1);
    engine.listener(blocked).build();
    engine.poller().poll();
    engine.write(Events.event("running"));
    await().until(() -> engine.delivered().contains("running"));
    engine.write(Events.event("a"));
    engine.write(Events.event("b"));
    engine.write(Events.event("c"));
    assertThat(engine.store.row("a").lease()).isNotNull();
    assertThat(engine.store.row("b").lease()).isNotNull();
    assertThat(engine.store.row("c").lease()).as("no place is left for it").isNull();
    unblock.countDown();

    awaitDone("a");
    awaitDone("b");
  }

  @Test
  void withTheRowCheckPlacesOfRowsThatAreGoneAreGivenBack() {
    engine
        .claiming(FIVE_MINUTES)
        .dispatcherSettings
        .checkRowsBeforeHotDelivery(true)
        .hotQueueCapacity(1);
    engine.build();
    engine.poller().poll();
    for (int i = 0; i < 5; i++) {
      engine.tx.begin();
      engine.writer().write(Events.event("undone" + i));
      List<Runnable> callbacks = engine.tx.commitWithoutCallbacks();
      engine.database.delete("undone" + i);
      callbacks.forEach(Runnable::run);
      await().until(() -> engine.engine().held().size() == 0);
    }
    engine.write(Events.event("a"));

    awaitDone("a");
    assertThat(engine.store.calls("fetchPending")).isEqualTo(1);
  }

  /** A pause after many failures lasts a second at least; a busy machine gets several tries. */
  @Test
  void R3_aCommitEndsThePauseThatFollowsAnOutage() {
    AtomicBoolean away = new AtomicBoolean();
    List<Long> failures = new CopyOnWriteArrayList<>();
    AtomicLong answered = new AtomicLong();
    engine.store.before(
        "recordOutcomes",
        outcomes -> {
          if (away.get()) {
            failures.add(System.nanoTime());
            throw new IllegalStateException(new SQLException("injected", "08006"));
          }
          answered.compareAndSet(0, System.nanoTime());
        });
    engine.build();
    long shortest = Long.MAX_VALUE;
    for (int round = 0; round < 5 && shortest > TimeUnit.SECONDS.toNanos(1); round++) {
      failures.clear();
      away.set(true);
      engine.write(Events.event("before" + round));
      await().until(() -> failures.size() >= 8);
      answered.set(0);
      away.set(false);
      engine.write(Events.event("after" + round));
      await().until(() -> answered.get() != 0);
      shortest = Math.min(shortest, answered.get() - failures.get(failures.size() - 1));
    }

    assertThat(Duration.ofNanos(shortest)).isLessThan(Duration.ofSeconds(1));
  }
}
