package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.AsyncEventListener;
import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.dispatch.DispatcherWriterHook;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.fakes.FakeDatabase;
import io.outbox.fakes.FakeStore;
import io.outbox.fakes.FakeTx;
import io.outbox.internal.breaker.BreakerTimes;
import io.outbox.internal.breaker.CircuitBreaker;
import io.outbox.model.EventStatus;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.registry.ListenerRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A listener's destination is down: that is not its events' fault, and no other listener's. */
class OutageTest {

  private static final int MANY = 300;

  private final Engine engine = new Engine();
  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final List<String> published = new CopyOnWriteArrayList<>();
  private final List<String> others = new CopyOnWriteArrayList<>();
  private final AtomicInteger calls = new AtomicInteger();
  private volatile boolean down = true;

  @AfterEach
  void close() throws Exception {
    engine.close();
    assertThat(engine.database.openConnections()).isZero();
  }

  private void start(boolean claiming, EventListener broker) {
    registry.register("Broker", broker);
    registry.register(
        "Other",
        event -> {
          others.add(event.eventId());
          return null;
        });
    engine.dispatcherSettings.listenerRegistry(registry);
    engine.pollerSettings.intervalMs(50);
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.start();
  }

  private DispatchResult publish(EventEnvelope event) {
    calls.incrementAndGet();
    if (down) {
      throw new OutageException("the broker is down");
    }
    published.add(event.eventId());
    return DispatchResult.done();
  }

  private List<String> write(String type, int count) {
    List<EventEnvelope> events =
        IntStream.range(0, count).mapToObj(i -> EventEnvelope.ofJson(type, "1")).toList();
    engine.write(events.toArray(EventEnvelope[]::new));
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void anOutageCountsNoAttemptAndEndsByItself(boolean claiming) {
    start(claiming, this::publish);
    List<String> ids = new ArrayList<>(write("Broker", MANY));
    await().until(() -> calls.get() > 0);
    ids.addAll(write("Broker", MANY));
    await().until(() -> engine.metrics.unavailableListeners() == 1);
    down = false;

    await().until(() -> published.size() >= 2 * MANY);
    await().until(() -> engine.store.count(EventStatus.DONE) == 2 * MANY);
    assertThat(published).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
    await().until(() -> engine.metrics.unavailableListeners() == 0);
    assertThat(CapturedLogs.of(CircuitBreaker.class, Level.WARNING))
        .isNotEmpty()
        .allMatch(line -> line.contains("does not answer"));
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void R24_anOutageIsNotTakenForAFullQueueNorForAListenersDelay(boolean claiming) {
    start(claiming, this::publish);
    await().until(() -> engine.store.calls("fetchPending") >= 1); // the database's time is known
    write("Broker", 1);
    await().until(() -> engine.metrics.unavailableListeners() == 1);
    await()
        .until(
            () -> {
              write("Broker", 1);
              return engine.metrics.count("skippedOutage") > 0;
            });
    await().until(() -> engine.metrics.count("heldBack") > 0);

    assertThat(engine.metrics.count("dropped")).isZero();
    assertThat(engine.metrics.count("deferred")).isZero();
    assertThat(CapturedLogs.of(DispatcherWriterHook.class, Level.WARNING)).isEmpty();
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void whileItIsDownFewCallsAreMadeAndOthersGoOn(boolean claiming) {
    start(claiming, this::publish);
    write("Broker", MANY);
    await().until(() -> engine.metrics.unavailableListeners() == 1);
    await().until(() -> engine.store.count(EventStatus.NEW) == MANY);
    long start = System.nanoTime();
    int before = calls.get();
    List<String> ids = write("Other", MANY);

    await().until(() -> others.size() == MANY);
    assertThat(others).containsExactlyInAnyOrderElementsOf(ids);
    int trials = calls.get() - before;
    long pauses = (System.nanoTime() - start) / (BreakerTimes.FIRST_PAUSE_NANOS / 2);
    assertThat(trials).isLessThan((int) (5 + pauses));
  }

  /** None of the answers comes, nor does a failure. */
  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void aListenerThatNeverAnswersKeepsNoWorker(boolean claiming) {
    engine.dispatcherSettings.workerCount(2).maxInFlight(4);
    List<CompletableFuture<DispatchResult>> answers = new CopyOnWriteArrayList<>();
    AsyncEventListener silent =
        event -> {
          CompletableFuture<DispatchResult> answer = new CompletableFuture<>();
          answers.add(answer);
          return answer;
        };
    start(claiming, silent.asEventListener());
    write("Broker", MANY);
    await().until(() -> answers.size() == 4);
    List<String> ids = write("Other", MANY);

    await().until(() -> others.size() == MANY);
    assertThat(others).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(answers).hasSize(4);

    answers.forEach(answer -> answer.complete(null));
    await()
        .until(
            () -> {
              answers.forEach(answer -> answer.complete(null));
              return engine.store.count(EventStatus.DONE) == 2 * MANY;
            });
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
  }

  /** The type does not say which listener an event has. */
  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void eventsOfOneTypeWithListenersOfTheirOwnDoNotWaitForEachOther(boolean claiming) {
    EventListener broker = this::publish;
    EventListener other =
        event -> {
          others.add(event.eventId());
          return null;
        };
    engine.dispatcherSettings.listenerRegistry(
        new ListenerRegistry() {
          @Override
          public EventListener listenerFor(String aggregateType, String eventType) {
            return null;
          }

          @Override
          public EventListener listenerFor(EventEnvelope event) {
            return event.tenantId() == null ? broker : other;
          }
        });
    engine.pollerSettings.intervalMs(50);
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.start();
    write("Same", MANY);
    await().until(() -> engine.metrics.unavailableListeners() == 1);
    for (int round = 1; round <= 3; round++) {
      EventEnvelope[] events =
          IntStream.range(0, MANY)
              .mapToObj(
                  i -> EventEnvelope.builder("Same").tenantId("acme").payloadJson("1").build())
              .toArray(EventEnvelope[]::new);
      engine.write(events);
      int expected = round * MANY;
      await().until(() -> others.size() == expected);
    }
    assertThat(engine.metrics.unavailableListeners()).isEqualTo(1);
    assertThat(published).isEmpty();

    down = false;
    await().until(() -> engine.store.count(EventStatus.DONE) == 4 * MANY);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
  }

  @Test
  void unroutableEventsUseUpNoGates() {
    start(false, this::publish);
    write("Nobody", 300);
    await().until(() -> engine.store.count(EventStatus.DEAD) == 300);
    write("Broker", 1);
    await().until(() -> engine.metrics.unavailableListeners() == 1);
    write("Other", MANY);

    await().until(() -> others.size() == MANY);
  }

  @Test
  void aTrialThatIsNeverAnsweredDoesNotKeepTheListenerDown() {
    AsyncEventListener broker =
        event -> {
          int call = calls.incrementAndGet();
          if (call == 1) {
            throw new OutageException("down");
          }
          return call == 2 ? new CompletableFuture<>() : CompletableFuture.completedFuture(null);
        };
    start(false, broker.asEventListener());
    write("Broker", 1);
    await().until(() -> calls.get() == 2);
    write("Broker", MANY);

    await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> engine.store.count(EventStatus.DONE) == MANY);
  }

  @Test
  void oneBadDestinationDoesNotStopTheOthersOfItsListener() {
    start(
        false,
        event -> {
          if (event.payloadJson().equals("0")) {
            throw new OutageException("this one's host is down");
          }
          published.add(event.eventId());
          return null;
        });
    // Not every tenth: the first of a batch, which may be the trial, would always be such a one.
    List<EventEnvelope> events =
        IntStream.range(0, 1000)
            .mapToObj(i -> EventEnvelope.ofJson("Broker", i % 7 == 0 ? "0" : "1"))
            .toList();
    engine.write(events.toArray(EventEnvelope[]::new));

    await().until(() -> engine.store.count(EventStatus.DONE) == 857);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
  }

  @Test
  void whereAllEventsAreInOrderTheSameEventIsCalledAgain() {
    FakeDatabase database = new FakeDatabase();
    FakeStore store = new FakeStore(database, Clock.systemUTC());
    FakeTx tx = new FakeTx(database);
    registry.register("Broker", this::publish);
    registry.register(
        "Other",
        event -> {
          published.add(event.eventId());
          return null;
        });
    List<EventEnvelope> first = List.of(EventEnvelope.ofJson("Broker", "1"));
    List<EventEnvelope> rest =
        IntStream.range(0, 20)
            .mapToObj(i -> EventEnvelope.ofJson(i % 3 == 0 ? "Other" : "Broker", "1"))
            .toList();
    List<EventEnvelope> events = new ArrayList<>(first);
    events.addAll(rest);
    try (Outbox outbox =
        Outbox.ordered()
            .connectionProvider(database)
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry(registry)
            .intervalMs(50)
            .build()) {
      tx.run(() -> outbox.writer().writeAll(first));
      await().until(() -> calls.get() >= 2);
      tx.run(() -> outbox.writer().writeAll(rest));
      assertThat(published).isEmpty();
      down = false;

      await().until(() -> published.size() == events.size());
      assertThat(published)
          .containsExactlyElementsOf(events.stream().map(EventEnvelope::eventId).toList());
      await().until(() -> store.count(EventStatus.DONE) == events.size());
    }
  }

  @Test
  void whereAllEventsAreInOrderWhatIsKilledDuringAnOutageIsNotDelivered() {
    FakeDatabase database = new FakeDatabase();
    FakeStore store = new FakeStore(database, Clock.systemUTC());
    FakeTx tx = new FakeTx(database);
    registry.register("Broker", this::publish);
    List<EventEnvelope> events =
        IntStream.range(0, 5).mapToObj(i -> EventEnvelope.ofJson("Broker", "1")).toList();
    try (Outbox outbox =
        Outbox.ordered()
            .connectionProvider(database)
            .txContext(tx)
            .outboxStore(store)
            .listenerRegistry(registry)
            .intervalMs(50)
            .build()) {
      tx.run(() -> outbox.writer().writeAll(events));
      await().until(() -> calls.get() >= 1);
      for (int killed : new int[] {0, 2}) {
        tx.run(
            () -> store.markDead(tx.currentConnection(), events.get(killed).eventId(), "killed"));
      }
      down = false;

      await().until(() -> store.count(EventStatus.DONE) == 3);
      assertThat(published)
          .containsExactly(
              events.get(1).eventId(), events.get(3).eventId(), events.get(4).eventId());
    }
  }
}
