package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.RetryAfterException;
import io.outbox.UnrecoverableException;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.fakes.Events;
import io.outbox.internal.call.Listeners;
import io.outbox.internal.record.OutcomeSettler;
import io.outbox.model.EventStatus;
import io.outbox.spi.JsonCodec;
import io.outbox.spi.MetricsExporter;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What becomes of an event that is in the queue. */
class OutboxDispatcherTest {

  private final Engine engine = new Engine();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final List<String> log = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
    assertThat(engine.database.openConnections()).isZero();
  }

  private static QueuedEvent hot(String id) {
    return new QueuedEvent(Events.event(id), QueuedEvent.Source.HOT, 0);
  }

  private static QueuedEvent cold(String id) {
    return new QueuedEvent(Events.event(id), QueuedEvent.Source.COLD, 0);
  }

  private void awaitStatus(String id, EventStatus status) {
    await().until(() -> engine.store.status(id) == status);
  }

  // ---- results

  @Test
  void aDeliveredEventIsDone() {
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DONE);
    await().until(() -> engine.metrics.count("success") == 1);
    assertThat(engine.metrics.count("hot")).isEqualTo(1);
    assertThat(engine.delivered()).containsExactly("e");
    assertThat(engine.store.row("e").doneAt()).isNotNull();
  }

  @Test
  void R8_theListenerGetsTheEnvelopeAsItWasWritten() {
    List<EventEnvelope> got = new CopyOnWriteArrayList<>();
    engine.listener(
        event -> {
          got.add(event);
          return null;
        });
    engine.build();
    EventEnvelope event = Events.event("e");
    engine.write(event);

    await().until(() -> got.size() == 1);
    assertThat(got.get(0)).isSameAs(event);
  }

  @Test
  void aListenerThatDefersIsAskedAgainWithoutAnAttempt() {
    AtomicInteger calls = new AtomicInteger();
    engine.listener(
        event ->
            calls.incrementAndGet() == 1
                ? DispatchResult.retryAfter(Duration.ofMillis(50))
                : DispatchResult.done());
    engine.start();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DONE);
    assertThat(engine.store.row("e").attempts()).isZero();
    await().until(() -> engine.metrics.count("deferred") == 1);
  }

  @Test
  void aListenerThatGivesUpMakesItDead() {
    engine.listener(event -> DispatchResult.dead("not wanted"));
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DEAD);
    assertThat(engine.store.row("e").lastError()).isEqualTo("not wanted");
    await().until(() -> engine.metrics.count("dead") == 1);
  }

  @Test
  void anUnrecoverableFailureMakesItDeadAtOnce() {
    engine.listener(
        event -> {
          throw new UnrecoverableException("bad payload");
        });
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DEAD);
    assertThat(engine.store.row("e").attempts()).isZero();
    assertThat(engine.delivered()).hasSize(1);
  }

  @Test
  void aFailingListenerIsCalledMaxAttemptsTimesAndThenItIsDead() {
    engine.dispatcherSettings.maxAttempts(3).retryPolicy(attempts -> 10);
    engine.listener(
        event -> {
          throw new IllegalStateException("broken");
        });
    engine.start();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DEAD);
    assertThat(engine.delivered()).hasSize(3);
    assertThat(engine.store.row("e").attempts()).isEqualTo(3);
    assertThat(engine.store.row("e").lastError()).contains("broken");
    await().until(() -> engine.metrics.count("dead") == 1);
    assertThat(engine.metrics.count("failure")).isEqualTo(2);
    await().until(() -> !CapturedLogs.of(OutcomeSettler.class, Level.SEVERE).isEmpty());
  }

  @Test
  void R11_aRetryComesWhenItIsDueThoughTheIntervalIsLong() {
    AtomicInteger calls = new AtomicInteger();
    engine.listener(
        event -> {
          if (calls.incrementAndGet() == 1) {
            throw new RetryAfterException(Duration.ofMillis(100), "busy");
          }
          return null;
        });
    engine.start();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DONE);
    assertThat(engine.store.row("e").attempts()).isEqualTo(1);
  }

  @Test
  void anErrorOfTheListenerIsAFailureOfItsEventAlone() {
    AtomicInteger calls = new AtomicInteger();
    engine.dispatcherSettings.workerCount(1).retryPolicy(attempts -> 10);
    engine.listener(
        event -> {
          if (calls.incrementAndGet() == 1) {
            throw new StackOverflowError("deep");
          }
          return null;
        });
    engine.start();
    engine.write(Events.event("e"));
    engine.write(Events.event("f"));

    awaitStatus("e", EventStatus.DONE);
    awaitStatus("f", EventStatus.DONE);
    assertThat(engine.store.row("e").attempts()).isEqualTo(1);
  }

  @Test
  void anInterruptedListenerHasFailed() {
    engine.dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          throw new InterruptedException("stopped");
        });
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.RETRY);
  }

  @Test
  void aListenerThatLeavesItsThreadInterruptedHasFailedAndTheWorkerGoesOn() {
    engine.dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          if (event.eventId().equals("e")) {
            Thread.currentThread().interrupt();
          }
          return null;
        });
    engine.build();
    engine.write(Events.event("e"));
    engine.write(Events.event("f"));

    awaitStatus("e", EventStatus.RETRY);
    awaitStatus("f", EventStatus.DONE);
    assertThat(engine.store.row("e").lastError()).contains("interrupted");
  }

  // ---- routing

  @Test
  void anEventWithoutAListenerIsDeadAtOnceAndTheHookIsTold() {
    engine.dispatcherSettings.listenerRegistry((aggregate, type) -> null);
    engine.dispatcherSettings.onDead((event, reason) -> log.add(event.eventId() + " " + reason));
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DEAD);
    assertThat(engine.store.row("e").lastError())
        .contains("no listener is registered", "'Tested' without aggregate type");
    await().until(() -> log.size() == 1);
    assertThat(log.get(0)).startsWith("e io.outbox.dispatch.UnroutableEventException");
    await()
        .untilAsserted(
            () ->
                assertThat(CapturedLogs.of(OutcomeSettler.class, Level.SEVERE))
                    .anySatisfy(text -> assertThat(text).contains("DEAD")));
  }

  @Test
  void aRegistryThatThrowsIsAFailure() {
    engine.dispatcherSettings.listenerRegistry(
        (aggregate, type) -> {
          throw new IllegalStateException("injected");
        });
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.RETRY);
  }

  // ---- interceptors

  private EventInterceptor logging(String name) {
    return new EventInterceptor() {
      @Override
      public void beforeDispatch(EventEnvelope event) {
        log.add("before " + name);
      }

      @Override
      public void afterDispatch(EventEnvelope event, Exception error) {
        log.add("after " + name + (error == null ? "" : " " + error.getMessage()));
      }
    };
  }

  @Test
  void interceptorsAreCalledInOrderAndBackwards() {
    engine.dispatcherSettings.interceptor(logging("1"));
    engine.dispatcherSettings.interceptors(List.of(logging("2"), logging("3")));
    engine.listener(
        event -> {
          log.add("listener");
          return null;
        });
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DONE);
    assertThat(log)
        .containsExactly(
            "before 1", "before 2", "before 3", "listener", "after 3", "after 2", "after 1");
  }

  @Test
  void anInterceptorThatThrowsBeforeKeepsTheListenerFromBeingCalled() {
    engine.dispatcherSettings.interceptor(logging("1"));
    engine.dispatcherSettings.interceptor(
        EventInterceptor.before(
            event -> {
              throw new Exception("no");
            }));
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.RETRY);
    assertThat(engine.delivered()).isEmpty();
    assertThat(log).containsExactly("before 1", "after 1 no");
  }

  @Test
  void anInterceptorMayRefuseAnEventForGood() {
    engine.dispatcherSettings.interceptor(
        EventInterceptor.before(
            event -> {
              throw new UnrecoverableException("no");
            }));
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DEAD);
  }

  @Test
  void whatAnInterceptorThrowsAfterwardsIsLoggedOnly() {
    engine.dispatcherSettings.interceptor(logging("1"));
    engine.dispatcherSettings.interceptor(
        EventInterceptor.after(
            (event, error) -> {
              throw new AssertionError("injected");
            }));
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DONE);
    await().until(() -> !CapturedLogs.of(Listeners.class, Level.SEVERE).isEmpty());
    assertThat(log).containsExactly("before 1", "after 1");
  }

  @Test
  void interceptorsAreToldOfErrorsAsExceptions() {
    engine.dispatcherSettings.interceptor(
        EventInterceptor.after((event, error) -> log.add(error + " / " + error.getCause())));
    engine.listener(
        event -> {
          throw new StackOverflowError("deep");
        });
    engine.build();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.RETRY);
    assertThat(log.get(0)).contains("IllegalStateException").contains("StackOverflowError: deep");
  }

  // ---- dedupe

  @Test
  void R3_anEventThatIsQueuedOrRunningIsNotQueuedAgain() {
    engine.dispatcherSettings.workerCount(1);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    engine.build();
    engine.store.seed(Events.event("running"));
    engine.store.seed(Events.event("queued"));
    engine.dispatcher().enqueueHot(hot("running"));
    await().until(() -> engine.delivered().contains("running"));
    engine.dispatcher().enqueueCold(cold("queued"));

    assertThat(engine.dispatcher().enqueueHot(hot("running"))).isTrue();
    assertThat(engine.dispatcher().enqueueCold(cold("queued"))).isTrue();
    engine.poller().poll();
    unblock.countDown();
    awaitStatus("queued", EventStatus.DONE);
    awaitStatus("running", EventStatus.DONE);
    assertThat(engine.delivered()).containsExactly("running", "queued");
  }

  @Test
  void anEventThatTheTrackerHasInFlightIsLeftToALaterPoll() {
    InFlightTracker tracker = new DefaultInFlightTracker();
    tracker.tryAcquire("e");
    engine.dispatcherSettings.inFlightTracker(tracker);
    engine.build();
    engine.write(Events.event("e"));
    await().until(() -> engine.engine().held().size() == 0);
    assertThat(engine.delivered()).isEmpty();

    tracker.release("e");
    engine.poller().poll();
    awaitStatus("e", EventStatus.DONE);
  }

  @Test
  void R1_aTrackerThatThrowsCostsNoEvent() {
    AtomicInteger calls = new AtomicInteger();
    engine.dispatcherSettings.inFlightTracker(
        new InFlightTracker() {
          @Override
          public boolean tryAcquire(String eventId) {
            if (calls.incrementAndGet() == 1) {
              throw new IllegalStateException("injected");
            }
            return true;
          }

          @Override
          public void release(String eventId) {
            throw new AssertionError("injected");
          }
        });
    engine.build();
    engine.write(Events.event("e"));
    await().until(() -> engine.engine().held().size() == 0);
    engine.poller().poll();

    awaitStatus("e", EventStatus.DONE);
    await().until(() -> engine.metrics.count("success") == 1);
    assertThat(engine.delivered()).containsExactly("e");
  }

  @Test
  void R3_aTrackerThatThrowsOnReleaseDoesNotUndoTheOutcomeOfALeasedEvent() {
    engine.claiming(Duration.ofMinutes(5));
    engine.dispatcherSettings.inFlightTracker(
        new InFlightTracker() {
          @Override
          public boolean tryAcquire(String eventId) {
            return true;
          }

          @Override
          public void release(String eventId) {
            throw new IllegalStateException("injected");
          }
        });
    engine.build();
    engine.store.seed(Events.event("e"));
    engine.poller().poll();

    awaitStatus("e", EventStatus.DONE);
    assertThat(engine.store.calls("releaseLeases")).isZero();
  }

  // ---- bounds

  @Test
  void R13_aFullQueueSaysSo() {
    engine.dispatcherSettings.workerCount(1).hotQueueCapacity(2).coldQueueCapacity(3);
    engine.listener(
        event -> {
          unblock.await();
          return null;
        });
    engine.build();
    List<String> ids = List.of("r", "h1", "h2", "c1", "c2", "c3");
    ids.forEach(id -> engine.store.seed(Events.event(id)));
    engine.dispatcher().enqueueHot(hot("r"));
    await().until(() -> engine.delivered().contains("r"));

    assertThat(engine.dispatcher().enqueueHot(hot("h1"))).isTrue();
    assertThat(engine.dispatcher().enqueueHot(hot("h2"))).isTrue();
    assertThat(engine.dispatcher().enqueueHot(hot("h3"))).isFalse();
    assertThat(engine.dispatcher().coldQueueRemainingCapacity()).isEqualTo(3);
    assertThat(engine.dispatcher().enqueueCold(cold("c1"))).isTrue();
    assertThat(engine.dispatcher().enqueueCold(cold("c2"))).isTrue();
    assertThat(engine.dispatcher().coldQueueRemainingCapacity()).isEqualTo(1);
    assertThat(engine.dispatcher().enqueueCold(cold("c3"))).isTrue();
    assertThat(engine.dispatcher().enqueueCold(cold("c4"))).isFalse();
    unblock.countDown();

    await().until(() -> engine.store.count(EventStatus.DONE) == 6);
    assertThat(engine.metrics.count("cold")).isEqualTo(3);
    assertThat(engine.metrics.count("hot")).isEqualTo(3);
  }

  @Test
  void theLargestCapacitiesWork() {
    engine
        .dispatcherSettings
        .hotQueueCapacity(Integer.MAX_VALUE)
        .coldQueueCapacity(Integer.MAX_VALUE)
        .maxQueuedBytes(Long.MAX_VALUE)
        .checkRowsBeforeHotDelivery(true)
        .drainTimeoutMs(Long.MAX_VALUE);
    engine.start();
    engine.write(Events.event("e"));

    awaitStatus("e", EventStatus.DONE);
  }

  @Test
  void workersRunBesideEachOther() {
    CountDownLatch together = new CountDownLatch(3);
    engine.dispatcherSettings.workerCount(3);
    engine.listener(
        event -> {
          together.countDown();
          together.await();
          return null;
        });
    engine.build();
    Events.events("e", 3).forEach(engine::write);

    await().until(() -> engine.store.count(EventStatus.DONE) == 3);
  }

  // ---- odd rows

  @Test
  void R1_aRowThatHasBeenDueForAThousandYearsIsDelivered() {
    engine.store.seed(
        Events.event("e"), row -> row.availableAt = Instant.parse("1000-01-01T00:00:00Z"));
    engine.start();

    awaitStatus("e", EventStatus.DONE);
    assertThat(engine.delivered()).containsExactly("e");
  }

  @Test
  void aRowThatCannotBeReadIsDead() {
    engine.store.seed(Events.event("e"), row -> row.headersJson = "{}");
    engine.store.seed(Events.event("f"));
    JsonCodec.setDefault(new FailingCodec());
    try {
      engine.start();
      awaitStatus("e", EventStatus.DEAD);
      awaitStatus("f", EventStatus.DONE);
    } finally {
      JsonCodec.setDefault(null);
    }
    assertThat(engine.store.row("e").lastError()).startsWith("cannot be read");
    await().until(() -> engine.metrics.count("dead") == 1);
    assertThat(engine.delivered()).containsExactly("f");
  }

  @Test
  void theDeadLetterOfARowThatCannotBeReadHasItsPayload() {
    List<byte[]> payloads = new CopyOnWriteArrayList<>();
    engine.dispatcherSettings.onDead((event, reason) -> payloads.add(event.payloadBytes()));
    engine.store.seed(Events.eventOfSize("e", 3), row -> row.headersJson = "{}");
    JsonCodec.setDefault(new FailingCodec());
    try {
      engine.start();
      await().until(() -> payloads.size() == 1);
    } finally {
      JsonCodec.setDefault(null);
    }
    assertThat(payloads.get(0)).hasSize(3);
  }

  private static final class FailingCodec implements JsonCodec {
    @Override
    public String toJson(Object obj) {
      throw new UnsupportedOperationException();
    }

    @Override
    public <T> T fromJson(String json, Class<T> type) {
      throw new IllegalArgumentException("injected");
    }
  }

  // ---- metrics

  @Test
  void R1_metricsThatThrowErrorsCostNoEvent() {
    MetricsExporter broken =
        (MetricsExporter)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {MetricsExporter.class},
                (proxy, method, args) -> {
                  throw new NoSuchMethodError("injected");
                });
    engine.dispatcherSettings.metrics(broken);
    engine.pollerSettings.metrics(broken);
    engine.start();
    engine.store.seed(Events.event("cold"));
    engine.write(Events.event("hot"));
    engine.poller().poll();

    awaitStatus("hot", EventStatus.DONE);
    awaitStatus("cold", EventStatus.DONE);
    assertThat(new ArrayList<>(engine.delivered())).containsExactlyInAnyOrder("hot", "cold");
  }

  @Test
  void R9_anOutcomeIsCountedWhenItIsInTheDatabase() {
    CountDownLatch recording = new CountDownLatch(1);
    engine.store.before(
        "recordOutcomes",
        outcomes -> {
          recording.countDown();
          try {
            unblock.await();
          } catch (InterruptedException e) {
            throw new IllegalStateException(e);
          }
        });
    engine.build();
    engine.write(Events.event("e"));
    await().until(() -> recording.getCount() == 0);
    assertThat(engine.metrics.count("success")).isZero();
    unblock.countDown();

    await().until(() -> engine.metrics.count("success") == 1);
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.DONE);
  }

  @Test
  void R6_anEventThatSomebodyFinishedMeanwhileIsNeitherChangedNorCounted() {
    engine.listener(
        event -> {
          engine.store.seed(event, row -> row.status = EventStatus.DEAD);
          return null;
        });
    engine.build();
    engine.write(Events.event("e"));

    await().until(() -> engine.engine().held().size() == 0);
    assertThat(engine.store.status("e")).isEqualTo(EventStatus.DEAD);
    assertThat(engine.metrics.count("success")).isZero();
  }
}
