package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.UnrecoverableException;
import io.outbox.dispatch.EventInterceptor;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Listeners that answer later. */
class AsyncDeliveryTest {

  private final Engine engine = new Engine();
  private final Map<String, CompletableFuture<DispatchResult>> answers = new ConcurrentHashMap<>();
  private final List<String> started = new CopyOnWriteArrayList<>();
  private final CountDownLatch unblock = new CountDownLatch(1);

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
    assertThat(engine.database.openConnections()).isZero();
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

  private void awaitStatus(String id, EventStatus status) {
    await().until(() -> engine.store.status(id) == status);
  }

  private void writeAll(String prefix, int count) {
    engine.tx.run(
        () ->
            engine
                .writer()
                .writeAll(
                    IntStream.range(0, count).mapToObj(i -> Events.event(prefix + i)).toList()));
  }

  // ---- answers

  @Test
  void oneWorkerHasManyInFlightAndEachEndsWithItsAnswer() {
    listen(this::start);
    engine.dispatcherSettings.workerCount(1);
    engine.build();
    writeAll("e", 20);

    await().until(() -> started.size() == 20);
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(20);
    answer("e7").complete(DispatchResult.done());
    awaitStatus("e7", EventStatus.DONE);
    answer("e8").complete(null);
    awaitStatus("e8", EventStatus.DONE);
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(18);
    started.forEach(id -> answer(id).complete(DispatchResult.done()));
    await().until(() -> engine.store.count(EventStatus.DONE) == 20);
    await().until(() -> engine.engine().held().size() == 0);
  }

  @Test
  void answersMeanWhatReturnsMean() {
    listen(this::start);
    engine.build();
    writeAll("e", 5);
    await().until(() -> started.size() == 5);
    answer("e0").complete(DispatchResult.dead("not wanted"));
    answer("e1").complete(DispatchResult.retryAfter(Duration.ofHours(1)));
    answer("e2").completeExceptionally(new IllegalStateException("broken"));
    answer("e3").completeExceptionally(new UnrecoverableException("bad payload"));
    // The failure of an earlier stage comes wrapped.
    CompletableFuture<DispatchResult> source = answer("e4");
    source.obtrudeException(new java.util.concurrent.CompletionException(new SQLException("x")));

    awaitStatus("e0", EventStatus.DEAD);
    await().until(() -> engine.metrics.count("deferred") == 1);
    assertThat(engine.store.row("e1").attempts()).isZero();
    awaitStatus("e2", EventStatus.RETRY);
    assertThat(engine.store.row("e2").attempts()).isEqualTo(1);
    assertThat(engine.store.row("e2").lastError()).contains("broken");
    awaitStatus("e3", EventStatus.DEAD);
    awaitStatus("e4", EventStatus.RETRY);
    assertThat(engine.store.row("e4").lastError()).startsWith("java.sql.SQLException: x");
  }

  @Test
  void aListenerThatThrowsOrReturnsNothingHasFailed() {
    listen(
        event -> {
          if (event.eventId().equals("e0")) {
            throw new IllegalStateException("no connection");
          }
          return null;
        });
    engine.build();
    writeAll("e", 2);

    awaitStatus("e0", EventStatus.RETRY);
    awaitStatus("e1", EventStatus.RETRY);
    assertThat(engine.store.row("e1").lastError()).contains("must not return null");
  }

  @Test
  void interceptorsSeeTheAnswer() {
    List<String> seen = new CopyOnWriteArrayList<>();
    engine.dispatcherSettings.interceptor(
        new EventInterceptor() {
          @Override
          public void beforeDispatch(EventEnvelope event) {
            seen.add("before " + event.eventId());
          }

          @Override
          public void afterDispatch(EventEnvelope event, Exception error) {
            seen.add("after " + event.eventId() + " " + error);
          }
        });
    listen(this::start);
    engine.build();
    engine.write(Events.event("e"));
    await().until(() -> started.size() == 1);
    assertThat(seen).containsExactly("before e");
    answer("e").completeExceptionally(new IllegalStateException("broken"));

    awaitStatus("e", EventStatus.RETRY);
    assertThat(seen).containsExactly("before e", "after e java.lang.IllegalStateException: broken");
  }

  @Test
  void R3_aSecondAnswerIsNoAnswer() {
    CompletableFuture<DispatchResult> first = new CompletableFuture<>();
    listen(event -> first);
    engine.build();
    engine.write(Events.event("e"));
    await().until(() -> first.getNumberOfDependents() == 1); // somebody waits for the answer
    first.complete(DispatchResult.done());
    first.obtrudeException(new IllegalStateException("late"));

    awaitStatus("e", EventStatus.DONE);
    await().until(() -> engine.metrics.count("success") == 1);
    assertThat(engine.metrics.count("failure")).isZero();
  }

  // ---- bounds

  @Test
  void R13_noMoreThanMaxInFlightAreUnanswered() {
    AtomicInteger unanswered = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    ExecutorService broker = Executors.newFixedThreadPool(2);
    listen(
        event -> {
          most.accumulateAndGet(unanswered.incrementAndGet(), Math::max);
          return CompletableFuture.supplyAsync(
              () -> {
                unanswered.decrementAndGet();
                return DispatchResult.done();
              },
              broker);
        });
    engine.dispatcherSettings.maxInFlight(5);
    engine.build();
    writeAll("e", 500);

    await().until(() -> engine.store.count(EventStatus.DONE) == 500);
    assertThat(most.get()).isBetween(1, 5);
    broker.shutdown();
  }

  @Test
  void R13_theBytesInFlightAreBounded() {
    engine.dispatcherSettings.maxQueuedBytes(1_000_000);
    listen(this::start);
    engine.build();
    for (int i = 0; i < 9; i++) {
      String id = "e" + i;
      engine.write(Events.eventOfSize(id, 100_000));
      await().until(() -> started.contains(id));
    }
    engine.write(Events.eventOfSize("e9", 100_000));
    await().pollDelay(Duration.ofMillis(50)).until(() -> started.size() == 9);
    answer("e0").complete(null);

    await().until(() -> started.contains("e9"));
    started.forEach(id -> answer(id).complete(null));
  }

  @Test
  void R13_anAnswerNeverWaitsForTheDatabase() throws Exception {
    AtomicBoolean away = new AtomicBoolean();
    engine.database.onConnect =
        () -> {
          if (away.get()) {
            throw new SQLException("refused", "08001");
          }
        };
    engine.dispatcherSettings.hotQueueCapacity(10).coldQueueCapacity(10).maxInFlight(50);
    listen(this::start);
    engine.build();
    for (int i = 0; i < 50; i++) {
      String id = "e" + i;
      engine.write(Events.event(id));
      await().until(() -> started.contains(id));
    }
    away.set(true);
    CompletableFuture<Void> answering =
        CompletableFuture.runAsync(() -> started.forEach(id -> answer(id).complete(null)));
    answering.get(60, TimeUnit.SECONDS);
    away.set(false);

    await().until(() -> engine.store.count(EventStatus.DONE) == 50);
    assertThat(engine.delivered()).isEmpty(); // none by the other listener
    assertThat(started).hasSize(50);
  }

  // ---- suspects, order

  @Test
  void R7_aSuspectIsAloneUntilItsAnswer() {
    engine.claiming(Duration.ofMinutes(5));
    engine.pollerSettings.intervalMs(50);
    engine.store.seed(Events.event("suspect"), row -> row.claims = 5);
    listen(this::start);
    engine.start();
    await().until(() -> started.contains("suspect"));
    assertThat(engine.store.row("suspect").starts()).isEqualTo(1);
    engine.store.seed(Events.event("other"));
    await().until(() -> engine.store.row("other").lease() != null);
    assertThat(started).containsExactly("suspect");
    answer("suspect").complete(null);

    awaitStatus("suspect", EventStatus.DONE);
    await().until(() -> started.contains("other"));
    answer("other").complete(null);
    awaitStatus("other", EventStatus.DONE);
  }

  @Test
  void R6_inOrderedModeTheNextStartsWhenTheOneBeforeIsAnswered() {
    FakeDatabase database = new FakeDatabase();
    FakeStore store = new FakeStore(database);
    FakeTx tx = new FakeTx(database);
    try (Outbox outbox =
        Outbox.ordered()
            .connectionProvider(database)
            .outboxStore(store)
            .txContext(tx)
            .listenerRegistry(new DefaultListenerRegistry().registerDefaultAsync(this::start))
            .build()) {
      tx.run(() -> outbox.writer().writeAll(List.of(Events.event("a"), Events.event("b"))));
      await().until(() -> started.equals(List.of("a")));
      await().pollDelay(Duration.ofMillis(100)).until(() -> started.equals(List.of("a")));
      answer("a").complete(null);
      await().until(() -> started.equals(List.of("a", "b")));
      answer("b").complete(null);
      await().until(() -> store.count(EventStatus.DONE) == 2);
    }
  }

  // ---- closing

  @Test
  void R15_closingWaitsForAnswers() throws Exception {
    listen(this::start);
    engine.build();
    engine.write(Events.event("e"));
    await().until(() -> started.size() == 1);
    CompletableFuture<Void> closing = CompletableFuture.runAsync(engine.dispatcher()::close);
    await().pollDelay(Duration.ofMillis(50)).until(() -> !closing.isDone());
    answer("e").complete(null);
    closing.get(60, TimeUnit.SECONDS);

    assertThat(engine.store.status("e")).isEqualTo(EventStatus.DONE);
  }

  @Test
  void R15_closingIsBoundedThoughAnAnswerNeverComes() {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.drainTimeoutMs(100);
    listen(this::start);
    engine.store.seed(Events.event("e"));
    engine.start();
    await().until(() -> started.size() == 1);
    engine.poller().close();
    engine.dispatcher().close();

    assertThat(answer("e")).isCancelled();
    await().until(() -> engine.store.row("e").lease() == null);
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.NEW);
    assertThat(engine.store.row("e").attempts()).isZero();
  }

  // ---- timeouts

  @Test
  void anAnswerThatTakesTooLongIsAFailureAndComesTooLateAfterwards() {
    engine.dispatcherSettings.listenerTimeout(Duration.ofMillis(50));
    listen(this::start);
    engine.build();
    engine.write(Events.event("e"));
    awaitStatus("e", EventStatus.RETRY);

    assertThat(engine.store.row("e").lastError())
        .contains("TimeoutException", "PT0.05S", "listenerTimeout");
    await().until(() -> answer("e").isCancelled());
    await().until(() -> engine.metrics.count("failure") == 1);
    assertThat(engine.metrics.count("success")).isZero();
  }

  @Test
  void waitingForAPlaceInFlightIsNotTheListenersTime() {
    engine.dispatcherSettings.maxInFlight(1).listenerTimeout(Duration.ofSeconds(4));
    AtomicInteger calls = new AtomicInteger();
    listen(
        event ->
            CompletableFuture.supplyAsync(
                () -> {
                  calls.incrementAndGet();
                  return DispatchResult.done();
                },
                CompletableFuture.delayedExecutor(700, TimeUnit.MILLISECONDS)));
    engine.build();
    writeAll("e", 8);

    await().until(() -> engine.store.count(EventStatus.DONE) == 8);
    assertThat(calls).hasValue(8);
  }

  @Test
  void aSynchronousListenerThatTakesTooLongIsInterruptedAndItsEventRetried() {
    engine.dispatcherSettings.workerCount(1).listenerTimeout(Duration.ofSeconds(2));
    AtomicBoolean interrupted = new AtomicBoolean();
    engine.listener(
        event -> {
          if (event.eventId().equals("slow")) {
            try {
              unblock.await();
            } catch (InterruptedException e) {
              interrupted.set(true); // and says that all is well
            }
          }
          return DispatchResult.done();
        });
    engine.build();
    engine.write(Events.event("slow"));
    engine.write(Events.event("next"));

    awaitStatus("next", EventStatus.DONE);
    awaitStatus("slow", EventStatus.RETRY);
    await().untilTrue(interrupted);
    assertThat(engine.store.row("slow").lastError()).contains("listenerTimeout");
  }

  @Test
  void R12_aListenerThatDoesNotYieldLosesItsThreadNotTheOthersTheirs() {
    engine
        .dispatcherSettings
        .workerCount(1)
        .retryPolicy(attempts -> 10)
        .listenerTimeout(Duration.ofSeconds(2)); // the others are quicker
    engine.pollerSettings.intervalMs(50);
    AtomicInteger calls = new AtomicInteger();
    engine.listener(
        event -> {
          if (event.eventId().equals("stuck") && calls.incrementAndGet() == 1) {
            while (unblock.getCount() > 0) {
              try {
                unblock.await();
              } catch (InterruptedException e) {
                // deaf
              }
            }
          }
          return null;
        });
    engine.start();
    engine.write(Events.event("stuck"));
    await().until(() -> calls.get() == 1);
    engine.write(Events.event("next"));

    awaitStatus("next", EventStatus.DONE);
    // Delivered again beside the first, which still runs: the tracker must not be in the way.
    awaitStatus("stuck", EventStatus.DONE);
    assertThat(calls).hasValue(2);
    unblock.countDown();
    engine.write(Events.event("last"));
    awaitStatus("last", EventStatus.DONE);
    await().until(() -> engine.metrics.count("success") == 3);
    assertThat(engine.metrics.count("failure")).isEqualTo(1);
  }

  @Test
  void R13_stuckThreadsAreBounded() {
    engine.dispatcherSettings.workerCount(1).maxAttempts(1).listenerTimeout(Duration.ofMillis(10));
    AtomicInteger running = new AtomicInteger();
    engine.listener(
        event -> {
          running.incrementAndGet();
          while (unblock.getCount() > 0) {
            try {
              unblock.await();
            } catch (InterruptedException e) {
              // deaf
            }
          }
          return null;
        });
    engine.build();
    writeAll("e", 10);

    await().until(() -> engine.store.count(EventStatus.DEAD) == 5);
    assertThat(running).hasValue(5);
  }
}
