package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.operate.OperatorAction;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Operators act on events while nodes deliver them. */
@Timeout(300)
class OperatorRaceTest {

  private static final int EVENTS = 400;
  private static final int KEYS = 20;
  private static final int ACTIONS = 300;
  private static final String PAUSED = "Paused";

  private enum Mode {
    SINGLE_NODE,
    MULTI_NODE,
    ORDERED_BY_KEY
  }

  private final ConcurrentMap<String, Long> firstCall = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Long> lastSuccess = new ConcurrentHashMap<>();
  private final ConcurrentMap<String, Long> lastReplay = new ConcurrentHashMap<>();
  private final Set<String> touched = ConcurrentHashMap.newKeySet();
  private volatile boolean calm;

  private DispatchResult deliver(EventEnvelope event) {
    long now = System.nanoTime();
    firstCall.merge(event.eventId(), now, Math::min);
    int fate = calm ? 100 : ThreadLocalRandom.current().nextInt(100);
    LockSupport.parkNanos(fate % 3 * 1_000_000L);
    if (fate < 5) {
      return DispatchResult.dead("by chance");
    } else if (fate < 15) {
      throw new IllegalStateException("once more");
    }
    lastSuccess.merge(event.eventId(), now, Math::max);
    return DispatchResult.done();
  }

  private void start(Scenario scenario, Mode mode) {
    int nodes = mode == Mode.SINGLE_NODE ? 1 : 2;
    for (int i = 0; i < nodes; i++) {
      scenario.start(
          switch (mode) {
            case SINGLE_NODE ->
                scenario.singleNode().intervalMs(50).listenerRegistry(Scenario.to(this::deliver));
            case MULTI_NODE ->
                scenario
                    .multiNode(Duration.ofSeconds(20))
                    .intervalMs(50)
                    .listenerRegistry(Scenario.to(this::deliver));
            case ORDERED_BY_KEY ->
                scenario
                    .orderedByKey()
                    .blockAfterDead()
                    .intervalMs(50)
                    .listenerRegistry(Scenario.to(this::deliver));
          });
    }
  }

  private List<EventEnvelope> events() {
    return IntStream.range(0, EVENTS)
        .mapToObj(
            n ->
                EventEnvelope.builder(n % 4 == 0 ? PAUSED : Scenario.TYPE)
                    .orderingKey("k" + n % KEYS)
                    .payloadJson("1")
                    .build())
        .toList();
  }

  private void actOften(OutboxOperator operator, Random random, List<String> ids) {
    for (int n = 0; n < ACTIONS; n++) {
      act(operator, random, ids);
    }
  }

  private void act(OutboxOperator operator, Random random, List<String> ids) {
    String id = ids.get(random.nextInt(ids.size()));
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> replay(operator, id);
      case 3 -> operator.perform(new OperatorAction.Kill("by an operator"), id);
      case 4 -> operator.perform(new OperatorAction.Reschedule(Instant.now()), id);
      case 5 -> operator.perform(new OperatorAction.Release(), id);
      case 6 -> operator.skip(id, "by an operator");
      default -> {
        if (!operator.pause(null, PAUSED, null)) {
          operator.resume(null, PAUSED);
        }
        return;
      }
    }
    touched.add(id);
  }

  private void replay(OutboxOperator operator, String id) {
    long before = System.nanoTime();
    if (operator.perform(new OperatorAction.Replay(), id)) {
      lastReplay.merge(id, before, Math::max);
    }
  }

  private void replayAllDead(Scenario scenario, OutboxOperator operator) {
    scenario
        .query("SELECT event_id FROM outbox_event WHERE status = 3")
        .forEach(row -> replay(operator, (String) row.get(0)));
  }

  @ParameterizedTest
  @CsvSource({
    "SINGLE_NODE, POSTGRES",
    "MULTI_NODE, POSTGRES",
    "ORDERED_BY_KEY, POSTGRES",
    "SINGLE_NODE, H2",
    "MULTI_NODE, MARIADB",
    "ORDERED_BY_KEY, MARIADB"
  })
  void R6_noLifeOfAnEventEndsByTheDeliveryOfAnEarlierOne(Mode mode, TestDatabase kind) {
    long seed = System.nanoTime();
    System.out.println("  seed " + seed);
    try (Scenario scenario =
        mode == Mode.ORDERED_BY_KEY ? Scenario.orderedByKeyOn(kind) : Scenario.on(kind)) {
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      start(scenario, mode);
      List<EventEnvelope> events = events();
      List<String> ids = scenario.write(scenario.coldWriter(), events);
      CompletableFuture.allOf(
              IntStream.range(0, 2)
                  .mapToObj(i -> new Random(seed + i))
                  .map(random -> CompletableFuture.runAsync(() -> actOften(operator, random, ids)))
                  .toArray(CompletableFuture[]::new))
          .join();
      calm = true;
      operator.resume(null, PAUSED);
      await()
          .atMost(Duration.ofSeconds(90))
          .until(
              () -> {
                replayAllDead(scenario, operator);
                return scenario.count(EventStatus.DONE) == EVENTS;
              });

      for (String id : ids) {
        assertThat(lastSuccess.getOrDefault(id, Long.MIN_VALUE))
            .as("event %s is done, so it was delivered since its last replay (seed %d)", id, seed)
            .isGreaterThan(lastReplay.getOrDefault(id, Long.MIN_VALUE));
      }
      if (mode == Mode.ORDERED_BY_KEY) {
        assertOrder(events);
      }
    }
  }

  /** It is in the node's memory, where no operator reaches it. */
  @ParameterizedTest
  @CsvSource({"SINGLE_NODE, H2", "ORDERED_BY_KEY, H2", "ORDERED_BY_KEY, POSTGRES"})
  void R6_aRescheduledEventComesAtItsTimeThoughANodeHasIt(Mode mode, TestDatabase kind) {
    CountDownLatch rescheduled = new CountDownLatch(1);
    try (Scenario scenario =
        mode == Mode.ORDERED_BY_KEY ? Scenario.orderedByKeyOn(kind) : Scenario.on(kind)) {
      scenario.deliveries.then(
          event -> {
            rescheduled.await();
            return DispatchResult.done();
          });
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      scenario.start(mode == Mode.ORDERED_BY_KEY ? scenario.orderedByKey() : scenario.singleNode());
      String id = scenario.write(scenario.coldWriter(), Scenario.event());
      await().until(() -> scenario.deliveries.count() == 1);

      Instant at = scenario.databaseTime().plusSeconds(5);
      assertThat(operator.perform(new OperatorAction.Reschedule(at), id)).isTrue();
      rescheduled.countDown();
      scenario.awaitStatus(id, EventStatus.DONE);
      assertThat(scenario.deliveries.count()).isEqualTo(2);
      assertThat(scenario.databaseTime()).isAfter(at);
    }
  }

  /** Of those that no operator has touched, and that did not die, each came before the next. */
  private void assertOrder(List<EventEnvelope> events) {
    Map<String, EventEnvelope> before = new HashMap<>();
    for (EventEnvelope event : events) {
      if (!touched.contains(event.eventId()) && !lastReplay.containsKey(event.eventId())) {
        EventEnvelope last = before.put(event.orderingKey(), event);
        if (last != null) {
          assertThat(firstCall.get(event.eventId()))
              .as("key %s", event.orderingKey())
              .isGreaterThan(firstCall.get(last.eventId()));
        }
      }
    }
  }
}
