package io.outbox.internal.member;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.fakes.CapturedLogs;
import io.outbox.fakes.Engine;
import io.outbox.fakes.FakeOperator;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.registry.DefaultListenerRegistry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.logging.Level;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operators halt delivery: no listener is called, nothing is counted, nothing is lost. */
class PauseTest {

  private static final int MANY = 200;

  private final Engine engine = new Engine();
  private final FakeOperator operator = new FakeOperator();
  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();
  private final List<String> paused = new CopyOnWriteArrayList<>();
  private final List<String> others = new CopyOnWriteArrayList<>();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private volatile boolean blocked;

  @BeforeEach
  void prepare() {
    engine.store.operator = operator;
    registry.register(
        "Paused",
        event -> {
          paused.add(event.eventId());
          if (blocked) {
            unblock.await();
          }
          return null;
        });
    registry.register(
        "Other",
        event -> {
          others.add(event.eventId());
          return null;
        });
    engine.dispatcherSettings.listenerRegistry(registry);
  }

  @AfterEach
  void close() throws Exception {
    unblock.countDown();
    engine.close();
    await().until(() -> engine.database.openConnections() == 0);
  }

  private void start(boolean claiming) {
    if (claiming) {
      engine.claiming(Duration.ofMinutes(5));
    }
    engine.start();
  }

  private static List<EventEnvelope> events(String type, int count) {
    return IntStream.range(0, count).mapToObj(i -> EventEnvelope.ofJson(type, "1")).toList();
  }

  private List<String> write(String type, int count) {
    List<EventEnvelope> events = events(type, count);
    engine.write(events.toArray(EventEnvelope[]::new));
    return events.stream().map(EventEnvelope::eventId).toList();
  }

  private void awaitPauses(int count) {
    await().until(() -> engine.metrics.pauses() == count);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void whatIsPausedWaitsInTheTableAndOthersGoOn(boolean claiming) {
    operator.pause(null, "Paused");
    start(claiming);
    List<String> halted = write("Paused", MANY);
    write("Other", MANY);

    await().until(() -> engine.store.count(EventStatus.DONE) == MANY);
    assertThat(paused).isEmpty();
    assertThat(engine.metrics.count("skippedPaused")).as("not for want of room").isEqualTo(MANY);
    assertThat(engine.store.rows())
        .filteredOn(row -> row.eventType().equals("Paused"))
        .allMatch(row -> row.lease() == null && row.claims() == 0 && row.attempts() == 0);

    operator.resume(null, "Paused");
    await().until(() -> engine.store.count(EventStatus.DONE) == 2 * MANY);
    assertThat(paused).containsExactlyInAnyOrderElementsOf(halted);
    awaitPauses(0);
  }

  @ParameterizedTest(name = "claiming {0}")
  @ValueSource(booleans = {false, true})
  void whatIsQueuedIsPutBackAndWhatRunsFinishes(boolean claiming) {
    blocked = true;
    engine.dispatcherSettings.workerCount(2);
    start(claiming);
    List<String> halted = write("Paused", MANY);
    await().until(() -> paused.size() == 2);
    operator.pause("__GLOBAL__", "Paused");
    awaitPauses(1);
    await()
        .until(
            () ->
                engine.store.rows().stream()
                        .filter(row -> row.lease() == null && row.claims() == 0)
                        .count()
                    >= MANY - 2);
    unblock.countDown();

    await().until(() -> engine.store.count(EventStatus.DONE) == 2);
    write("Other", 1);
    await().until(() -> others.size() == 1);
    assertThat(paused).hasSize(2);

    operator.resume("__GLOBAL__", "Paused");
    await().until(() -> engine.store.count(EventStatus.DONE) == MANY + 1);
    assertThat(paused).containsExactlyInAnyOrderElementsOf(halted);
    assertThat(engine.store.rows()).allMatch(row -> row.attempts() == 0);
  }

  @Test
  void nothingIsDeliveredTwiceByPausesUnderLoad() {
    start(true);
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      ids.addAll(write("Paused", MANY));
      write("Other", MANY);
      if (i % 2 == 0) {
        operator.pause(null, "Paused");
        awaitPauses(1);
      } else {
        operator.resume(null, "Paused");
        awaitPauses(0);
      }
    }

    await().until(() -> engine.store.count(EventStatus.DONE) == 8 * MANY);
    assertThat(paused).containsExactlyInAnyOrderElementsOf(ids);
    assertThat(others).hasSize(4 * MANY).doesNotHaveDuplicates();
  }

  @Test
  void whatWasPausedBeforeTheStartIsNotCalled() {
    operator.pause("__GLOBAL__", null);
    registry.register("Order", "Other", event -> add(others, event));
    List<EventEnvelope> events = events("Paused", 3);
    events.forEach(engine.store::seed);
    start(false);
    engine.write(
        EventEnvelope.builder("Other")
            .aggregateType("Order")
            .eventId("other")
            .payloadJson("1")
            .build());

    await().until(() -> others.contains("other"));
    assertThat(paused).isEmpty();
  }

  @Test
  void everythingCanBePaused() {
    operator.pause(null, null);
    start(false);
    write("Other", 5);
    write("Paused", 5);
    awaitPauses(1);
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(10);

    operator.resume(null, null);
    await().until(() -> engine.store.count(EventStatus.DONE) == 10);
    await()
        .untilAsserted(
            () ->
                assertThat(CapturedLogs.of(PauseWatch.class, Level.INFO))
                    .anyMatch(line -> line.contains("paused for all events, by tester"))
                    .anyMatch(line -> line.contains("goes on for all events")));
  }

  @Test
  void whileTheDatabaseCannotBeReadTheLastKnownPausesStay() {
    operator.pause(null, "Paused");
    start(false);
    operator.failure = new IllegalStateException("away");
    operator.resume(null, "Paused");
    write("Paused", 3);
    int looks = operator.looks();
    await().until(() -> operator.looks() > looks + 1);
    assertThat(paused).isEmpty();

    operator.failure = null;
    await().until(() -> engine.store.count(EventStatus.DONE) == 3);
  }

  @Test
  void beforeItIsKnownWhatIsPausedNothingIsDelivered() {
    operator.failure = new IllegalStateException("away");
    operator.pause(null, "Paused");
    start(true);
    write("Paused", 3);
    write("Other", 3);
    int looks = operator.looks();
    await().until(() -> operator.looks() > looks);
    assertThat(engine.store.count(EventStatus.NEW)).isEqualTo(6);

    operator.failure = null;
    await().until(() -> others.size() == 3);
    assertThat(paused).isEmpty();
    assertThat(CapturedLogs.of(PauseWatch.class, Level.WARNING)).isNotEmpty();
  }

  @Test
  void withoutTablesNothingIsPausedUntilTheyAreThere() {
    operator.installed = false;
    operator.pause(null, "Paused");
    start(false);
    write("Paused", 1);
    await().until(() -> paused.size() == 1);
    assertThat(operator.looks()).isEqualTo(1);

    operator.installed = true;
    await().atMost(Duration.ofSeconds(60)).until(() -> engine.metrics.pauses() == 1);
    write("Paused", 1);
    write("Other", 1);
    await().until(() -> others.size() == 1);
    assertThat(paused).hasSize(1);
  }

  @Test
  void aRetryIsNotTriedWhileItIsPaused() {
    engine.store.seed(
        EventEnvelope.ofJson("Paused", "1"),
        row -> {
          row.status = EventStatus.RETRY;
          row.attempts = 3;
        });
    operator.pause(null, "Paused");
    start(true);
    write("Other", 1);
    await().until(() -> others.size() == 1);
    operator.resume(null, "Paused");

    await().until(() -> engine.store.count(EventStatus.DONE) == 2);
    assertThat(paused).hasSize(1);
  }

  @Test
  void whatCannotBeReadIsNotKilledWhileItIsPaused() {
    EventEnvelope event = EventEnvelope.ofJson("Paused", "1");
    engine.store.seed(event, row -> row.headersJson = "[]");
    operator.pause(null, "Paused");
    start(true);
    write("Other", 1);
    await().until(() -> others.size() == 1);
    assertThat(engine.store.row(event.eventId()).status()).isEqualTo(EventStatus.NEW);
  }

  // ---- all events in order

  private Outbox ordered() {
    return Outbox.ordered()
        .connectionProvider(engine.database)
        .txContext(engine.tx)
        .outboxStore(engine.store)
        .listenerRegistry(registry)
        .metrics(engine.metrics)
        .intervalMs(50)
        .build();
  }

  @Test
  void inOrderAPausedEventHoldsThoseBehindIt() {
    List<String> all = new CopyOnWriteArrayList<>();
    registry.register("First", event -> add(all, event));
    registry.register("Second", event -> add(all, event));
    operator.pause(null, "Second");
    List<EventEnvelope> events = new ArrayList<>(events("First", 30));
    events.addAll(events("Second", 1));
    events.addAll(events("First", 200));
    List<String> ids = events.stream().map(EventEnvelope::eventId).toList();
    try (Outbox outbox = ordered()) {
      engine.tx.run(() -> outbox.writer().writeAll(events));
      await().until(() -> all.size() == 30);
      int polls = (int) engine.store.calls("fetchPending");
      int looks = operator.looks();
      await().until(() -> operator.looks() > looks + 1);
      assertThat(all).hasSize(30);
      assertThat(engine.store.calls("fetchPending") - polls).isLessThan(20);

      operator.resume(null, "Second");
      await().until(() -> all.size() == ids.size());
      assertThat(all).containsExactlyElementsOf(ids);
    }
  }

  private static DispatchResult add(List<String> all, EventEnvelope event) {
    all.add(event.eventId());
    return null;
  }

  @Test
  void inOrderPausesUnderLoadKeepTheOrder() {
    List<String> all = new CopyOnWriteArrayList<>();
    registry.register("First", event -> add(all, event));
    registry.register("Second", event -> add(all, event));
    List<String> ids = new ArrayList<>();
    try (Outbox outbox = ordered()) {
      for (int i = 0; i < 4; i++) {
        List<EventEnvelope> events = new ArrayList<>(events("First", 150));
        events.addAll(events("Second", 50));
        ids.addAll(events.stream().map(EventEnvelope::eventId).toList());
        engine.tx.run(() -> outbox.writer().writeAll(events));
        if (i % 2 == 0) {
          operator.pause(null, i % 4 == 0 ? "Second" : "First");
          awaitPauses(1);
        } else {
          operator.resume(null, "First");
          operator.resume(null, "Second");
          awaitPauses(0);
        }
      }

      await().until(() -> all.size() == ids.size());
      assertThat(all).containsExactlyElementsOf(ids);
    }
  }

  @Test
  void inOrderAnEventThatWasKilledMeanwhileIsNotDelivered() {
    operator.pause(null, "Paused");
    List<EventEnvelope> events = new ArrayList<>(events("Paused", 1));
    events.addAll(events("Other", 5));
    String killed = events.get(0).eventId();
    try (Outbox outbox = ordered()) {
      engine.tx.run(() -> outbox.writer().writeAll(events));
      int looks = operator.looks();
      await().until(() -> operator.looks() > looks + 1);
      assertThat(others).isEmpty();
      engine.tx.run(() -> engine.store.markDead(engine.tx.currentConnection(), killed, "killed"));

      await().until(() -> others.size() == 5);
      operator.resume(null, "Paused");
      awaitPauses(0);
      assertThat(paused).isEmpty();
      assertThat(engine.store.rows())
          .filteredOn(row -> row.status() == EventStatus.DEAD)
          .extracting(OutboxEvent::eventId)
          .containsExactly(killed);
    }
  }
}
