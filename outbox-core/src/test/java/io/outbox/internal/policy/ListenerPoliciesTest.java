package io.outbox.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.fakes.Engine;
import io.outbox.internal.queue.Delivery;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.policy.ListenerPolicy;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Listeners with policies beside listeners without. */
class ListenerPoliciesTest {

  private static final int MANY = 300;

  private final Engine engine = new Engine();
  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();
  private final List<String> slow = new CopyOnWriteArrayList<>();
  private final List<String> fast = new CopyOnWriteArrayList<>();

  @AfterEach
  void close() throws Exception {
    open.countDown();
    engine.close();
    assertThat(engine.database.openConnections()).isZero();
  }

  private void start(boolean claiming, EventListener listener) {
    registry.register("Slow", listener);
    registry.register(
        "Fast",
        event -> {
          fast.add(event.eventId());
          return null;
        });
    start(claiming, registry);
  }

  private void start(boolean claiming, ListenerRegistry listeners) {
    engine.dispatcherSettings.listenerRegistry(listeners);
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.start();
  }

  private static ListenerPolicy.Builder policy() {
    return ListenerPolicy.builder();
  }

  private DispatchResult slowly(EventEnvelope event) throws InterruptedException {
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      open.await();
      slow.add(event.eventId());
      return DispatchResult.done();
    } finally {
      running.decrementAndGet();
    }
  }

  private List<String> write(String type, int count) {
    List<EventEnvelope> events =
        IntStream.range(0, count).mapToObj(i -> EventEnvelope.ofJson(type, "1")).toList();
    engine.write(events.toArray(EventEnvelope[]::new));
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  private void awaitDone(int count) {
    await().until(() -> engine.store.count(EventStatus.DONE) == count);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void aBulkheadLeavesWorkersToOthers(boolean claiming) {
    start(claiming, policy().concurrency(2).build().around(this::slowly));
    List<String> slowIds = new ArrayList<>(write("Slow", MANY));
    await().until(() -> running.get() == 2);
    for (int i = 0; i < 10; i++) {
      slowIds.addAll(write("Slow", 10));
      write("Fast", MANY / 10);
    }

    await().until(() -> fast.size() == MANY);
    assertThat(running).hasValue(2);
    open.countDown();

    awaitDone(2 * MANY + 100);
    assertThat(slow).containsExactlyInAnyOrderElementsOf(slowIds);
    assertThat(mostRunning).hasValue(2);
  }

  /** Or one such event would stop a listener with one place for ever. */
  @Test
  void R21_anEventThatLosesItsLeaseWhileItWaitsKeepsNoPlace() {
    start(true, policy().concurrency(1).build().around(this::slowly));
    write("Slow", 5);
    await().until(() -> running.get() == 1 && engine.engine().held().size() == 5);
    Delivery lost =
        engine.engine().held().all().stream().filter(Delivery::drop).findFirst().orElseThrow();
    engine.engine().held().release(lost); // as the keeper of leases does

    open.countDown();

    await().until(() -> slow.size() == 4);
    assertThat(slow).doesNotContain(lost.eventId());
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R12_whatWaitsForAPlaceIsNotReadAgainAndAgain(boolean claiming) {
    engine.pollerSettings.intervalMs(20);
    start(claiming, policy().concurrency(1).build().around(this::slowly));
    write("Slow", MANY);
    await().until(() -> running.get() == 1);

    await().until(() -> releasesDuringTenPolls() == 0);
    assertThat(engine.engine().held().size()).isLessThanOrEqualTo(1 + RoomSize.FIRST_GUESS);
  }

  private long releasesDuringTenPolls() {
    long releases = engine.store.calls("releaseLeases");
    long polls = engine.store.calls("fetchPending");
    await().until(() -> engine.store.calls("fetchPending") > polls + 10);
    return engine.store.calls("releaseLeases") - releases;
  }

  @Test
  void aBulkheadBoundsThePendingCallsOfAnAsyncListener() {
    ConcurrentLinkedQueue<CompletableFuture<DispatchResult>> pending =
        new ConcurrentLinkedQueue<>();
    start(
        false,
        policy()
            .concurrency(3)
            .build()
            .aroundAsync(
                event -> {
                  mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
                  CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
                  pending.add(answer);
                  return answer;
                }));
    write("Slow", 50);
    write("Fast", MANY);
    await().until(() -> fast.size() == MANY && pending.size() == 3);
    for (int i = 0; i < 50; i++) {
      await().until(() -> !pending.isEmpty());
      running.decrementAndGet();
      pending.remove().complete(DispatchResult.done());
    }

    awaitDone(50 + MANY);
    assertThat(mostRunning).hasValueLessThanOrEqualTo(3);
  }

  @ParameterizedTest(name = "one after the other {0}")
  @ValueSource(booleans = {false, true})
  void aRateLimitBoundsTheStartsOfCallsAndBurnsNoAttempts(boolean inOrder) {
    if (inOrder) {
      engine.dispatcherSettings.workerCount(1).maxInFlight(1);
    }
    open.countDown();
    start(false, policy().rateLimit(5, Duration.ofMillis(200)).build().around(this::slowly));
    long begin = System.nanoTime();
    List<String> ids = write("Slow", 15);
    write("Fast", 1);

    awaitDone(16);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(400));
    assertThat(slow).containsExactlyInAnyOrderElementsOf(ids); // some are hot, some are cold
    assertThat(mostRunning.get()).isLessThanOrEqualTo(inOrder ? 1 : 4);
  }

  @Test
  void eventsOfARouteWithSeveralListenersWaitInTheTable() {
    EventListener policed = policy().concurrency(1).build().around(this::slowly);
    start(
        true,
        new ListenerRegistry() {
          @Override
          public EventListener listenerFor(String aggregateType, String eventType) {
            return null;
          }

          @Override
          public EventListener listenerFor(EventEnvelope event) {
            return policed;
          }

          @Override
          public boolean mayHaveListenerFor(String aggregateType, String eventType) {
            return true;
          }
        });
    List<String> ids = write("Any", 30);
    await().until(() -> engine.engine().held().size() <= 1 + RoomSize.FIRST_GUESS);
    open.countDown();

    awaitDone(30);
    assertThat(slow).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(mostRunning).hasValue(1);
  }

  /** A listener that fails now and then, in every way there is. */
  private EventListener moody(int places, AtomicInteger tooMany) {
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger outages = new AtomicInteger();
    return event -> {
      if (inside.incrementAndGet() > places) {
        tooMany.incrementAndGet();
      }
      try {
        int mood = ThreadLocalRandom.current().nextInt(100);
        if (mood < 2 && outages.incrementAndGet() <= 2) {
          throw new OutageException("down for a moment");
        }
        if (mood < 10) {
          throw new IllegalStateException("fails now and then");
        }
        return mood < 20 ? DispatchResult.retryAfter(Duration.ofMillis(5)) : null;
      } finally {
        inside.decrementAndGet();
      }
    };
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R1_whateverHappensNoEventIsLostAndNoPlace(boolean claiming) {
    AtomicInteger tooMany = new AtomicInteger();
    for (int places = 1; places <= 3; places++) {
      ListenerPolicy policy =
          policy()
              .concurrency(places)
              .rateLimit(300, Duration.ofMillis(100))
              .retryPolicy(failures -> 1)
              .retryAlways(IllegalStateException.class)
              .build();
      registry.register("Moody" + places, policy.around(moody(places, tooMany)));
    }
    start(claiming, event -> null);
    for (int i = 0; i < 20; i++) {
      for (int places = 1; places <= 3; places++) {
        write("Moody" + places, 20);
      }
      write("Fast", 5);
    }

    await().until(() -> engine.store.count(EventStatus.DONE) == 20 * 65);
    await().until(() -> engine.engine().held().size() == 0);
    assertThat(tooMany).hasValue(0);
    write("Moody1", 1);
    await().until(() -> engine.store.count(EventStatus.DONE) == 20 * 65 + 1);
  }

  @Test
  void aPolicyHasItsOwnAttemptsAndFallback() {
    List<String> told = new CopyOnWriteArrayList<>();
    engine.dispatcherSettings.onDead((event, reason) -> told.add("onDead " + event.eventType()));
    AtomicInteger calls = new AtomicInteger();
    ListenerPolicy once =
        policy()
            .maxAttempts(2)
            .retryPolicy(n -> 0)
            .fallback((event, reason) -> told.add("fallback " + reason))
            .build();
    start(
        false,
        once.around(
            event -> {
              calls.incrementAndGet();
              throw new IllegalStateException("no");
            }));
    registry.register("Other", event -> DispatchResult.dead("by itself")); // without a policy
    String id = write("Slow", 1).get(0);
    await().until(() -> engine.store.status(id) == EventStatus.DEAD);
    assertThat(calls).hasValue(2);
    write("Other", 1);

    await().until(() -> told.size() == 3);
    assertThat(told)
        .containsExactly(
            "fallback java.lang.IllegalStateException: no", "onDead Slow", "onDead Other");
  }

  @Test
  void aPolicyHasItsOwnTimeout() {
    start(
        false, policy().timeout(Duration.ofMillis(50)).maxAttempts(1).build().around(this::slowly));
    String id = write("Slow", 1).get(0);

    await().until(() -> engine.store.status(id) == EventStatus.DEAD);
    assertThat(engine.store.row(id).lastError()).contains("PT0.05S (timeout of its policy)");
  }

  @Test
  void R15_whatWaitsForAPlaceIsGivenBackAtTheEnd() throws Exception {
    start(true, policy().concurrency(1).build().around(this::slowly));
    await().until(() -> engine.store.calls("fetchPending") >= 1); // the database's time is known
    write("Slow", 5);
    await().until(() -> running.get() == 1);

    engine.close();

    assertThat(slow).isEmpty();
    assertThat(engine.store.rows())
        .filteredOn(row -> row.lease() == null)
        .hasSizeGreaterThanOrEqualTo(4)
        .extracting(OutboxEvent::claims)
        .containsOnly(0);
  }
}
