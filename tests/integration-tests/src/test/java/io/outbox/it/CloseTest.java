package io.outbox.it;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.jdbc.tx.JdbcTransactionManager.Transaction;
import io.outbox.model.EventStatus;
import io.outbox.poller.OutboxPoller;
import io.outbox.spi.EventPurger;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** R15: close() ends everything, in order and in time, and gives back what was not started. */
@Timeout(300)
class CloseTest {

  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final CountDownLatch release = new CountDownLatch(1);

  @AfterEach
  void letListenersGo() {
    release.countDown();
  }

  private DispatchResult waiting(EventEnvelope event) throws InterruptedException {
    release.await();
    return DispatchResult.done();
  }

  /** As {@link #waiting}, but no interrupt ends it. */
  private DispatchResult stuck(EventEnvelope event) {
    while (true) {
      try {
        return waiting(event);
      } catch (InterruptedException e) {
        // goes on waiting
      }
    }
  }

  @EachDatabase
  void R15_whatIsQueuedIsDeliveredBeforeCloseReturnsAndNoThreadIsLeft(TestDatabase kind)
      throws Exception {
    OutboxThreads threads = new OutboxThreads();
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.deliveries.then(this::waiting);
      Outbox outbox = scenario.start(scenario.singleNode().workerCount(1).drainTimeoutMs(60_000));
      scenario.write(outbox.writer(), Scenario.events(20));
      await().until(() -> scenario.deliveries.count() == 1);
      CompletableFuture<Void> closing = CompletableFuture.runAsync(outbox::close);
      await().until(() -> !outbox.isRunning());
      release.countDown();
      closing.get(90, SECONDS);
      assertThat(scenario.count(EventStatus.DONE)).isEqualTo(20);
      assertThat(scenario.deliveries.count()).isEqualTo(20);
      threads.awaitGone();
    }
  }

  @Test
  void R15_purgeAndPollerEndBeforeTheListeners() throws Exception {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      ConcurrentLinkedQueue<String> ended = new ConcurrentLinkedQueue<>();
      CountDownLatch purging = new CountDownLatch(1);
      CountDownLatch purged = new CountDownLatch(1);
      EventPurger purger =
          (conn, before, limit) -> {
            purging.countDown();
            awaitUninterruptibly(purged);
            ended.add("purge");
            return 0;
          };
      Tap<OutboxStore> store = scenario.storeTap();
      CountDownLatch polling = new CountDownLatch(1);
      CountDownLatch polled = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            ended.add("listener " + scenario.deliveries.count());
            return DispatchResult.done();
          });
      store.on(
          "fetchPending",
          call -> {
            Object batch = call.proceed();
            polling.countDown();
            awaitUninterruptibly(polled);
            ended.add("poll");
            return batch;
          });
      scenario.write(scenario.coldWriter(), Scenario.event());
      Outbox outbox =
          scenario.start(
              scenario.singleNode().outboxStore(store.proxy()).purger(purger).intervalMs(1));
      polling.await();
      purging.await();
      Thread closing = new Thread(outbox::close);
      closing.start();
      await().until(() -> !outbox.isRunning());
      purged.countDown();
      await().until(() -> waitsForThePoller(closing)); // before, it may begin another poll
      polled.countDown();
      closing.join(SECONDS.toMillis(90));
      // the row that the last poll brought was still delivered
      assertThat(ended).containsExactly("purge", "poll", "listener 1");
      assertThat(scenario.count(EventStatus.DONE)).isEqualTo(1);
    }
  }

  private static boolean waitsForThePoller(Thread closing) {
    List<StackTraceElement> stack = List.of(closing.getStackTrace());
    return stack.stream().anyMatch(frame -> frame.getMethodName().equals("join"))
        && stack.stream()
            .anyMatch(frame -> frame.getClassName().equals(OutboxPoller.class.getName()));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (true) {
      try {
        latch.await();
        return;
      } catch (InterruptedException e) {
        // goes on waiting
      }
    }
  }

  @EachDatabase
  void R15_withAStuckListenerCloseIsBoundedAndGivesBackWhatWasNotStarted(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Member closed = new Member(scenario, "closed");
      closed.deliveries.then(this::stuck);
      closed.start(TIMEOUT, builder -> builder.workerCount(1).drainTimeoutMs(100));
      String running = closed.write();
      await().until(() -> closed.deliveries.has(running));
      List<String> queued = new ArrayList<>(closed.write(3));
      queued.addAll(scenario.write(scenario.coldWriter(), Scenario.events(1)));
      await().until(() -> queued.stream().allMatch(closed::holds));

      long start = System.nanoTime();
      closed.outbox().close();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(60));
      assertThat(closed.holds(running)).as("it still runs").isTrue();
      assertThat(queued)
          .allSatisfy(
              id -> {
                assertThat(scenario.column("locked_by", id)).isNull();
                assertThat(scenario.number("claims", id)).as("R7: taken back").isZero();
                assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
              });

      Member next = new Member(scenario, "next").start(TIMEOUT);
      await().until(() -> queued.stream().allMatch(next.deliveries::has));
      assertThat(next.deliveries.has(running)).isFalse();
    }
  }

  /** The lease of the closed outbox ends, and somebody else delivers. */
  @EachDatabase
  void R15_anEventThatWasRunningAtTheEndIsDeliveredAgain(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Member closed = new Member(scenario, "closed");
      closed.deliveries.then(this::stuck);
      closed.start(TIMEOUT, builder -> builder.drainTimeoutMs(0));
      String id = closed.write();
      await().until(() -> closed.deliveries.has(id));
      closed.outbox().close();
      scenario.endLeases();
      Member next = new Member(scenario, "next").start(TIMEOUT);
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(next.deliveries.ids()).containsExactly(id);
      assertThat(scenario.number("attempts", id)).isZero();
    }
  }

  @Test
  void R15_aListenerInterruptedByCloseHasNotFailed() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      scenario.deliveries.then(this::waiting);
      Outbox outbox = scenario.start(scenario.singleNode().drainTimeoutMs(50));
      String id = scenario.write(outbox.writer(), Scenario.event());
      await().until(() -> scenario.deliveries.has(id));
      outbox.close();
      assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);
      assertThat(scenario.number("attempts", id)).isZero();

      release.countDown();
      scenario.start(scenario.singleNode());
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.deliveries.countOf(id)).isEqualTo(2);
    }
  }

  @Test
  void R15_manyThreadsMayCloseAndAgain() {
    OutboxThreads threads = new OutboxThreads();
    try (Scenario scenario = Scenario.on(TestDatabase.POSTGRES)) {
      scenario.deliveries.then(this::waiting);
      Outbox outbox =
          scenario.start(scenario.multiNode(TIMEOUT).workerCount(1).drainTimeoutMs(60_000));
      scenario.write(outbox.writer(), Scenario.events(5));
      await().until(() -> scenario.deliveries.count() == 1);
      List<CompletableFuture<Void>> closing =
          Stream.generate(() -> CompletableFuture.runAsync(outbox::close)).limit(4).toList();
      await().until(() -> !outbox.isRunning());
      release.countDown();
      closing.forEach(CompletableFuture::join);
      outbox.close();
      threads.awaitGone();
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  @Test
  void R15_aListenerMayCloseItsOutbox() {
    OutboxThreads threads = new OutboxThreads();
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      CompletableFuture<Outbox> built = new CompletableFuture<>();
      CountDownLatch closed = new CountDownLatch(1);
      scenario.deliveries.then(
          event -> {
            built.get().close();
            closed.countDown();
            return DispatchResult.done();
          });
      Outbox outbox = scenario.start(scenario.singleNode().workerCount(1).drainTimeoutMs(100));
      String id = scenario.write(outbox.writer(), Scenario.event());
      built.complete(outbox);
      await().until(() -> closed.getCount() == 0);
      threads.awaitGone();

      // done, or to be delivered again: never anything else
      assertThat(scenario.status(id)).isIn(EventStatus.DONE, EventStatus.NEW);
      assertThat(scenario.number("attempts", id)).isZero();
    }
  }

  @Test
  void R15_closeInTheMiddleOfTheStartLeavesNothingBehind() throws Exception {
    OutboxThreads threads = new OutboxThreads();
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      CountDownLatch starting = new CountDownLatch(1);
      Tap<OutboxStore> store = scenario.storeTap();
      store.on(
          "supportsLeases",
          call -> {
            starting.countDown();
            release.await();
            return call.proceed();
          });
      Outbox outbox =
          scenario.start(
              scenario
                  .multiNode(TIMEOUT)
                  .outboxStore(store.proxy())
                  .purger((conn, before, limit) -> 0)
                  .autoStart(false));
      CompletableFuture<Void> start = CompletableFuture.runAsync(outbox::start);
      starting.await();
      Thread closing = new Thread(outbox::close);
      closing.start();
      await().until(() -> closing.getState() == Thread.State.BLOCKED);
      release.countDown();
      start.get(90, SECONDS);
      closing.join();
      assertThat(outbox.isRunning()).isFalse();
      threads.awaitGone();
      assertThatThrownBy(outbox::start)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  @EachDatabase
  void R15_anEventCommittedAfterCloseIsDeliveredByTheNext(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Member closed = new Member(scenario, "closed").start(TIMEOUT);
      String id;
      try (Transaction transaction = scenario.transactions.begin()) {
        id = closed.outbox().writer().write(Scenario.event());
        closed.outbox().close();
        transaction.commit();
      }
      scenario.endLeases();
      Member next = new Member(scenario, "next").start(TIMEOUT);
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(next.deliveries.ids()).containsExactly(id);
      assertThat(closed.deliveries.ids()).isEmpty();
    }
  }

  /** Whatever wants a connection waits for ever. */
  @Test
  void R15_withAPoolThatHangsCloseOfOrderedByKeyIsBounded() throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      AtomicBoolean hangs = new AtomicBoolean();
      AtomicInteger hanging = new AtomicInteger();
      Outbox outbox =
          scenario
              .orderedByKey()
              .connectionProvider(
                  () -> {
                    if (hangs.get()) {
                      hanging.incrementAndGet();
                      awaitUninterruptibly(release);
                    }
                    return scenario.connections.getConnection();
                  })
              .laneLease(Duration.ofSeconds(2))
              .intervalMs(50)
              .drainTimeoutMs(1000)
              .build();
      scenario.write(outbox.writer(), Scenario.events(20));
      scenario.awaitAllDone(20);
      hangs.set(true);
      await().until(() -> hanging.get() >= 2); // a reader and the keeper of the lanes, at least
      scenario.write(outbox.writer(), Scenario.events(20));
      CompletableFuture.runAsync(outbox::close).get(60, SECONDS);
    }
  }

  @EachDatabase
  void R15_anOutboxThatWasStoppedStartsAgain(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitAllDone(1);
      outbox.stop();
      String waiting = scenario.write(outbox.writer(), Scenario.event());
      assertThat(scenario.status(waiting)).isEqualTo(EventStatus.NEW);
      outbox.start();
      scenario.write(outbox.writer(), Scenario.event());
      scenario.awaitAllDone(3);
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }
}
