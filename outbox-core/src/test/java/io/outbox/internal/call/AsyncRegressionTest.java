package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.fakes.OutboxThreads;
import io.outbox.internal.queue.HeldEvents;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Faults of late answers and of listeners that take too long that were found by reading. */
class AsyncRegressionTest {

  private final Engine engine = new Engine();
  private final Map<String, CompletableFuture<DispatchResult>> answers = new ConcurrentHashMap<>();
  private final List<String> started = new CopyOnWriteArrayList<>();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final CountDownLatch interrupted = new CountDownLatch(1);

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.database.onConnect = () -> {};
    engine.close();
  }

  private CompletableFuture<DispatchResult> answer(String id) {
    return answers.computeIfAbsent(id, any -> new CompletableFuture<>());
  }

  private CompletionStage<DispatchResult> start(EventEnvelope event) {
    started.add(event.eventId());
    return answer(event.eventId());
  }

  private void listen(AsyncEventListener listener) {
    engine.dispatcherSettings.listenerRegistry((aggregate, type) -> listener.asEventListener());
  }

  /** Does not yield to interrupts. */
  private void blockDeaf() {
    while (unblock.getCount() > 0) {
      try {
        unblock.await();
      } catch (InterruptedException e) {
        interrupted.countDown();
      }
    }
  }

  private Outbox.OrderedBuilder ordered(DefaultListenerRegistry registry) {
    return Outbox.ordered()
        .connectionProvider(engine.database)
        .outboxStore(engine.store)
        .txContext(engine.tx)
        .drainTimeoutMs(100)
        .intervalMs(100)
        .listenerRegistry(registry);
  }

  private void write(Outbox outbox, EventEnvelope... events) {
    engine.tx.run(() -> outbox.writer().writeAll(List.of(events)));
  }

  private void awaitStatus(String id, EventStatus status) {
    await().until(() -> engine.store.status(id) == status);
  }

  /** Until the listener has returned and the engine waits for the answer. */
  private void awaitUnanswered(String id) {
    await().until(() -> answer(id).getNumberOfDependents() > 0);
  }

  /** Gives what must not happen some time to happen. */
  private static void awaitStill(Callable<Boolean> condition) {
    await().pollDelay(Duration.ofMillis(200)).until(condition);
  }

  // ---- listeners that do not yield

  @Test
  void R1_deliveryGoesOnWhenListenersThatWereStuckComeBack() {
    engine.dispatcherSettings.workerCount(1).maxAttempts(1).listenerTimeout(Duration.ofMillis(10));
    engine.listener(
        event -> {
          if (event.eventId().startsWith("stuck")) {
            blockDeaf();
          }
          return null;
        });
    engine.build();
    // As many as take the places of one worker, and one more.
    engine.tx.run(() -> engine.writer().writeAll(Events.events("stuck", 5).toList()));
    await().until(() -> engine.store.count(EventStatus.DEAD) == 5);
    unblock.countDown();
    engine.write(Events.event("after"));

    awaitStatus("after", EventStatus.DONE);
  }

  @Test
  void oneWorkerStaysOneThoughItComesBackWhileItIsReplaced() {
    CountDownLatch first = new CountDownLatch(1);
    CountDownLatch second = new CountDownLatch(1);
    AtomicBoolean together = new AtomicBoolean();
    engine
        .dispatcherSettings
        .workerCount(1)
        .maxAttempts(1)
        .listenerTimeout(Duration.ofSeconds(3))
        .interceptor(
            new EventInterceptor() {
              @Override
              public void afterDispatch(EventEnvelope event, Exception error) {
                if (event.eventId().equals("stuck")) {
                  unblock.countDown();
                  awaitQuietly(first, Duration.ofSeconds(30));
                }
              }
            });
    engine.listener(
        event -> {
          switch (event.eventId()) {
            case "stuck" -> blockDeaf();
            case "first" -> {
              first.countDown();
              together.set(second.await(200, TimeUnit.MILLISECONDS));
            }
            default -> second.countDown();
          }
          return null;
        });
    engine.build();
    engine.write(Events.event("stuck"), Events.event("first"), Events.event("second"));

    awaitStatus("second", EventStatus.DONE);
    assertThat(together).isFalse();
  }

  private static boolean awaitQuietly(CountDownLatch latch, Duration atMost) {
    try {
      return latch.await(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Test
  void timeoutsAreKeptWhileOutcomesCannotBeWritten() {
    AtomicBoolean away = new AtomicBoolean();
    engine.database.onConnect =
        () -> {
          if (away.get()) {
            throw new SQLException("refused", "08001");
          }
        };
    EventListener stuck =
        event -> {
          blockDeaf();
          return null;
        };
    AsyncEventListener later = this::start;
    engine
        .dispatcherSettings
        .hotQueueCapacity(5)
        .coldQueueCapacity(5)
        .workerCount(2)
        .listenerTimeout(Duration.ofSeconds(4))
        .listenerRegistry(
            (aggregate, type) -> type.equals("Stuck") ? stuck : later.asEventListener());
    engine.build();
    engine.write(Events.event("stuck", "Stuck"));
    // It is given up a second after its time; what starts now times out after that.
    await().pollDelay(Duration.ofSeconds(2)).until(() -> true);
    engine.write(Events.event("late"));
    awaitUnanswered("late");
    // As many outcomes as may be unwritten: whoever leaves another would have to wait.
    for (int i = 0; i < 10; i++) {
      engine.write(Events.event("e" + i));
      awaitUnanswered("e" + i);
    }
    away.set(true);
    for (int i = 0; i < 10; i++) {
      answer("e" + i).complete(null);
    }

    await().until(() -> answer("late").isCancelled());
    assertThat(engine.store.status("stuck")).isEqualTo(EventStatus.NEW); // still away
    away.set(false);
    awaitStatus("late", EventStatus.RETRY);
    awaitStatus("stuck", EventStatus.RETRY);
  }

  // ---- order

  @Test
  void inOrderedModeNoOtherListenerIsCalledBeforeTheAnswer() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .registerAsync("Later", this::start)
            .register(
                "AtOnce",
                event -> {
                  started.add(event.eventId());
                  return null;
                });
    try (Outbox outbox = ordered(registry).build()) {
      write(outbox, Events.event("a", "Later"), Events.event("b", "AtOnce"));
      awaitUnanswered("a");
      awaitStill(() -> started.equals(List.of("a")));
      answer("a").complete(null);

      awaitStatus("b", EventStatus.DONE);
      assertThat(started).containsExactly("a", "b");
    }
  }

  @Test
  void inOrderedModeAnUnroutableEventDoesNotPassAnUnansweredOne() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry().registerAsync("Later", this::start);
    try (Outbox outbox = ordered(registry).build()) {
      write(outbox, Events.event("a", "Later"), Events.event("b", "Unroutable"));
      awaitUnanswered("a");
      awaitStill(() -> engine.store.status("b") == EventStatus.NEW);
      answer("a").complete(null);

      awaitStatus("b", EventStatus.DEAD);
    }
  }

  @Test
  void inOrderedModeInterceptorsSeeOneEventAfterTheOther() {
    List<String> seen = new CopyOnWriteArrayList<>();
    CountDownLatch next = new CountDownLatch(1);
    EventInterceptor interceptor =
        new EventInterceptor() {
          @Override
          public void beforeDispatch(EventEnvelope event) {
            seen.add("before " + event.eventId());
            if (event.eventId().equals("b")) {
              next.countDown();
            }
          }

          @Override
          public void afterDispatch(EventEnvelope event, Exception error) {
            if (event.eventId().equals("a")) {
              awaitQuietly(next, Duration.ofMillis(200));
            }
            seen.add("after " + event.eventId());
          }
        };
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry().registerDefaultAsync(this::start);
    try (Outbox outbox = ordered(registry).interceptor(interceptor).build()) {
      write(outbox, Events.event("a"), Events.event("b"));
      awaitUnanswered("a");
      answer("a").complete(null);
      awaitUnanswered("b");
      answer("b").complete(null);

      await().until(() -> engine.store.count(EventStatus.DONE) == 2);
      assertThat(seen).containsExactly("before a", "after a", "before b", "after b");
    }
  }

  @Test
  void inOrderedModeARestartWaitsForTheListenerThatStillRuns() {
    DefaultListenerRegistry registry =
        new DefaultListenerRegistry()
            .registerDefault(
                event -> {
                  started.add(event.eventId());
                  if (event.eventId().equals("a")) {
                    blockDeaf();
                    started.add("end of a");
                  }
                  return null;
                });
    try (Outbox outbox = ordered(registry).build()) {
      write(outbox, Events.event("a"));
      await().until(() -> started.contains("a"));
      outbox.stop();
      write(outbox, Events.event("b"));
      outbox.start();
      awaitStill(() -> started.equals(List.of("a")));
      unblock.countDown();

      awaitStatus("b", EventStatus.DONE);
      assertThat(started).containsSubsequence("a", "end of a", "b");
    }
  }

  // ---- places in flight

  @Test
  void R5_whatBecameAnothersWhileItWaitedForAPlaceIsNotDelivered() {
    engine.claiming(Duration.ofMillis(500));
    engine.dispatcherSettings.maxInFlight(1).workerCount(2).coldQueueCapacity(100);
    listen(this::start);
    engine.build();
    engine.store.seed(Events.event("e0"));
    engine.store.seed(Events.event("e1"));
    engine.poller().poll();
    await().until(() -> started.size() == 1);
    String waiting = started.get(0).equals("e0") ? "e1" : "e0";
    // Until a worker has it: what is queued could simply be dropped.
    await().until(() -> engine.dispatcher().coldQueueRemainingCapacity() == 100);
    engine.store.seed(
        Events.event(waiting),
        row -> {
          row.lockedBy = "another node";
          row.lockedAt = Instant.now();
          row.leaseNo = 7;
          row.claims = 1;
        });
    long beats = engine.store.calls("renewLeases");
    await().until(() -> engine.store.calls("renewLeases") > beats + 1);
    answer(started.get(0)).complete(null);

    HeldEvents held = engine.engine().held();
    await().until(() -> held.size() == 0 || started.size() > 1);
    assertThat(started).doesNotContain(waiting);
    assertThat(engine.store.row(waiting).lease().owner()).isEqualTo("another node");
  }

  @Test
  void waitingForAPlaceIsNoPartOfTheListenersDuration() {
    engine.dispatcherSettings.maxInFlight(1);
    engine.pollerSettings.intervalMs(50); // what waits for long is given back
    listen(
        event -> {
          CompletionStage<DispatchResult> answer = start(event);
          return started.size() == 1 ? answer : CompletableFuture.completedFuture(null);
        });
    engine.start();
    engine.write(Events.event("e0"), Events.event("e1"));
    await().until(() -> started.size() == 1);
    await().pollDelay(Duration.ofSeconds(3)).until(() -> started.size() == 1);
    answer(started.get(0)).complete(null);

    await().until(() -> engine.store.count(EventStatus.DONE) == 2);
    assertThat(engine.metrics.count("listenerDuration")).isEqualTo(2);
    assertThat(Duration.ofNanos(engine.metrics.listenerNanos())).isLessThan(Duration.ofSeconds(3));
  }

  // ---- answers

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"})
  void R1_anAnswerOfAnotherTypeIsAFailure() {
    listen(event -> (CompletionStage) CompletableFuture.completedFuture("sent"));
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.RETRY);
    assertThat(engine.store.row("e").lastError()).contains("ClassCastException", "DispatchResult");
  }

  @Test
  void R1_aTimeoutEndsTheCallThoughTheAnswerCannotBeCancelled() {
    engine.dispatcherSettings.listenerTimeout(Duration.ofMillis(100));
    listen(
        event ->
            new CompletableFuture<>() {
              @Override
              public boolean cancel(boolean mayInterrupt) {
                throw new LinkageError("broken");
              }
            });
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.RETRY);
    assertThat(engine.store.row("e").lastError()).contains("listenerTimeout");
  }

  @Test
  void R1_whatWasNeverAnsweredIsDeliveredAgainAfterARestart() {
    AtomicInteger calls = new AtomicInteger();
    AsyncEventListener listener =
        event ->
            calls.incrementAndGet() == 1
                ? new CompletableFuture<DispatchResult>().minimalCompletionStage()
                : CompletableFuture.completedFuture(null);
    try (Outbox outbox =
        Outbox.singleNode()
            .connectionProvider(engine.database)
            .outboxStore(engine.store)
            .txContext(engine.tx)
            .drainTimeoutMs(100)
            .intervalMs(100)
            .listenerTimeout(Duration.ofSeconds(2))
            .listenerRegistry(new DefaultListenerRegistry().registerDefaultAsync(listener))
            .build()) {
      write(outbox, Events.event("e"));
      await().until(() -> calls.get() == 1);
      outbox.stop();
      outbox.start();

      awaitStatus("e", EventStatus.DONE);
      assertThat(calls).hasValue(2);
    }
  }

  // ---- closing

  @Test
  void R15_closingIsBoundedWhileTheDatabaseIsSlowToRefuse() throws Exception {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.drainTimeoutMs(100);
    listen(this::start);
    for (int i = 0; i < 60; i++) {
      engine.store.seed(Events.event("e" + i));
    }
    engine.start();
    await().until(() -> started.size() == 60);
    engine.poller().close();
    engine.database.onConnect =
        () -> {
          awaitQuietly(unblock, Duration.ofSeconds(1));
          throw new SQLException("no connection within a second", "08001");
        };

    // One try for each event would take a minute.
    CompletableFuture.runAsync(engine.dispatcher()::close).get(45, TimeUnit.SECONDS);
    assertThat(answers.values()).allMatch(CompletableFuture::isCancelled);
  }

  @Test
  void R15_aSuspectKeepsItsLeaseUntilItsAnswerIsGivenUp() {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.drainTimeoutMs(100);
    OutboxThreads threads = new OutboxThreads();
    CompletableFuture<DispatchResult> answer =
        new CompletableFuture<>() {
          @Override
          public boolean cancel(boolean mayInterrupt) {
            // It is answered all the same, when no worker waits for it any more.
            await()
                .until(
                    () -> threads.alive().stream().noneMatch(n -> n.startsWith("outbox-worker-")));
            complete(DispatchResult.done());
            return false;
          }
        };
    listen(
        event -> {
          started.add(event.eventId());
          return answer;
        });
    engine.store.seed(Events.event("e"), row -> row.claims = 5);
    engine.start();
    await().until(() -> answer.getNumberOfDependents() > 0);
    engine.poller().close();
    engine.dispatcher().close();

    assertThat(answer).isCompleted();
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.DONE);
    assertThat(started).containsExactly("e");
  }

  @Test
  void R15_closingDrainsThoughAThreadWasReplacedMeanwhile() throws Exception {
    engine
        .dispatcherSettings
        .workerCount(1)
        .maxAttempts(1)
        .drainTimeoutMs(60_000)
        .listenerTimeout(Duration.ofSeconds(4));
    CountDownLatch goOn = new CountDownLatch(1);
    engine.listener(
        event -> {
          if (event.eventId().equals("stuck")) {
            blockDeaf();
          } else {
            goOn.await();
          }
          return null;
        });
    engine.build();
    engine.write(Events.event("stuck"), Events.event("e0"), Events.event("e1"));
    await().until(() -> engine.delivered().contains("stuck"));
    CompletableFuture<Void> closing = CompletableFuture.runAsync(engine.dispatcher()::close);
    await().until(() -> engine.delivered().contains("e0"));
    unblock.countDown(); // the thread that closing waited for at first ends
    awaitStill(() -> !closing.isDone());
    goOn.countDown();
    closing.get(90, TimeUnit.SECONDS);

    assertThat(engine.store.status("e0")).isEqualTo(EventStatus.DONE);
    assertThat(engine.store.status("e1")).isEqualTo(EventStatus.DONE);
  }

  @Test
  void R15_anAsynchronousListenerThatClosesTheOutboxDoesNotWaitForItself() {
    engine.dispatcherSettings.drainTimeoutMs(600_000); // longer than is waited for here
    AtomicBoolean closed = new AtomicBoolean();
    listen(
        event -> {
          engine.dispatcher().close();
          closed.set(true);
          return CompletableFuture.completedFuture(null);
        });
    engine.build();
    engine.write(Events.event("e"));

    await().untilTrue(closed);
  }

  @Test
  void R15_closingWaitsUntilTheOutcomeOfAnAnswerIsWritten() throws Exception {
    engine.dispatcherSettings.drainTimeoutMs(60_000);
    CountDownLatch answered = new CountDownLatch(1);
    engine.dispatcherSettings.interceptor(
        new EventInterceptor() {
          @Override
          public void afterDispatch(EventEnvelope event, Exception error) {
            answered.countDown();
            awaitQuietly(unblock, Duration.ofSeconds(60));
          }
        });
    listen(this::start);
    engine.build();
    engine.write(Events.event("e"));
    awaitUnanswered("e");
    Thread broker = new Thread(() -> answer("e").complete(null), "broker");
    broker.start();
    answered.await();
    CompletableFuture<Void> closing = CompletableFuture.runAsync(engine.dispatcher()::close);
    awaitStill(() -> !closing.isDone());
    unblock.countDown();
    closing.get(90, TimeUnit.SECONDS);

    assertThat(engine.store.status("e")).isEqualTo(EventStatus.DONE);
    broker.join();
  }
}
