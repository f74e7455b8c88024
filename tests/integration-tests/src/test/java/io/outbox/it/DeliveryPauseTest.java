package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.model.EventStatus;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OutboxOperator;
import io.outbox.publish.Addressed;
import io.outbox.spi.OperatorStore;
import io.outbox.testdb.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Delivery of some events is paused and resumed in the database, for all nodes. */
@Timeout(300)
class DeliveryPauseTest {

  private static final String PAUSED = "Paused";

  /** Looks every second; the rest is for a machine with other things to do. */
  private static final Duration SOON = Duration.ofSeconds(3);

  private enum Mode {
    SINGLE_NODE,
    MULTI_NODE,
    ORDERED_BY_KEY
  }

  private static Scenario scenario(Mode mode, TestDatabase kind) {
    return mode == Mode.ORDERED_BY_KEY ? Scenario.orderedByKeyOn(kind) : Scenario.on(kind);
  }

  private static Outbox start(Scenario scenario, Mode mode) {
    return scenario.start(
        switch (mode) {
          case SINGLE_NODE -> scenario.singleNode();
          case MULTI_NODE -> scenario.multiNode(Duration.ofMinutes(1));
          case ORDERED_BY_KEY -> scenario.orderedByKey();
        });
  }

  private static void pause(Scenario scenario, String aggregateType, String eventType) {
    operate(
        scenario,
        (conn, store) ->
            store.pause(
                conn, new DeliveryPause(aggregateType, eventType, "tester", Instant.now(), null)));
  }

  private static void resume(Scenario scenario, String aggregateType, String eventType) {
    operate(scenario, (conn, store) -> store.resume(conn, aggregateType, eventType));
  }

  private interface Operation {
    boolean on(Connection conn, OperatorStore store);
  }

  private static void operate(Scenario scenario, Operation operation) {
    try (Connection conn = scenario.pool.getConnection()) {
      assertThat(operation.on(conn, scenario.store.operator().orElseThrow())).isTrue();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static EventEnvelope event(String type, String key, int n) {
    return EventEnvelope.builder(type).orderingKey(key).payloadJson(Integer.toString(n)).build();
  }

  private static List<EventEnvelope> mixed(int count, int from) {
    return IntStream.range(from, from + count)
        .mapToObj(n -> event(n % 2 == 0 ? PAUSED : Scenario.TYPE, n % 2 + "-" + n % 10, n))
        .toList();
  }

  private static List<String> delivered(Scenario scenario, String type) {
    return scenario.deliveries.events().stream()
        .filter(event -> event.eventType().equals(type))
        .map(EventEnvelope::eventId)
        .toList();
  }

  /** No listener is called any more once nothing has come for longer than a node takes to look. */
  private static void awaitStandstill(Scenario scenario) {
    await()
        .during(SOON)
        .atMost(SOON.multipliedBy(30))
        .until(new Unchanged<>(() -> delivered(scenario, PAUSED).size())::holds);
  }

  /** Whether a value is still what it was when this was first asked. */
  private static final class Unchanged<T> {
    private final Supplier<T> value;
    private T last;

    Unchanged(Supplier<T> value) {
      this.value = value;
    }

    boolean holds() {
      T now = value.get();
      boolean same = now.equals(last);
      last = now;
      return same;
    }
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
  void oneTypeIsPausedWhileAnotherFlows(Mode mode, TestDatabase kind) {
    try (Scenario scenario = scenario(mode, kind)) {
      pause(scenario, null, PAUSED);
      Outbox outbox = start(scenario, mode);
      List<EventEnvelope> events = mixed(400, 0);
      scenario.write(outbox.writer(), events.subList(0, 200));
      scenario.write(scenario.coldWriter(), events.subList(200, 400));

      await().until(() -> scenario.count(EventStatus.DONE) == 200);
      assertThat(delivered(scenario, PAUSED)).isEmpty();
      assertThat(
              scenario.query(
                  "SELECT 1 FROM outbox_event WHERE event_type = ? AND (locked_by IS NOT NULL OR"
                      + " claims > 0 OR attempts > 0)",
                  PAUSED))
          .isEmpty();

      resume(scenario, null, PAUSED);
      await().until(() -> !delivered(scenario, PAUSED).isEmpty());
      scenario.awaitAllDone(400);
      assertThat(scenario.deliveries.ids())
          .containsExactlyInAnyOrderElementsOf(
              events.stream().map(EventEnvelope::eventId).toList());
    }
  }

  /** Two nodes, writers on both, pauses and their ends in between: R1 and R3. */
  @ParameterizedTest
  @EnumSource(
      value = Mode.class,
      names = {"MULTI_NODE", "ORDERED_BY_KEY"})
  void R3_pausesUnderLoadLoseNothingAndRepeatNothing(Mode mode) {
    try (Scenario scenario = scenario(mode, TestDatabase.POSTGRES)) {
      scenario.deliveries.then(
          event -> {
            TimeUnit.MILLISECONDS.sleep(1); // so that there is always something queued
            return DispatchResult.done();
          });
      OutboxWriter[] writers = {
        start(scenario, mode).writer(), start(scenario, mode).writer(), scenario.coldWriter()
      };
      List<String> ids = new ArrayList<>();
      for (int round = 0; round < 3; round++) {
        for (OutboxWriter writer : writers) {
          ids.addAll(scenario.write(writer, mixed(600, ids.size())));
        }
        pause(scenario, "__GLOBAL__", PAUSED);
        for (OutboxWriter writer : writers) {
          ids.addAll(scenario.write(writer, mixed(600, ids.size())));
        }
        awaitStandstill(scenario);
        resume(scenario, "__GLOBAL__", PAUSED);
      }

      scenario.awaitAllDone(ids.size());
      assertThat(scenario.deliveries.ids()).containsExactlyInAnyOrderElementsOf(ids);
      if (mode == Mode.ORDERED_BY_KEY) {
        assertInOrder(scenario);
      }
    }
  }

  private static void assertInOrder(Scenario scenario) {
    Stream<String> keys = scenario.deliveries.events().stream().map(EventEnvelope::orderingKey);
    for (String key : keys.distinct().toList()) {
      assertThat(
              scenario.deliveries.events().stream()
                  .filter(event -> event.orderingKey().equals(key))
                  .map(event -> Integer.parseInt(event.payloadJson())))
          .as(key)
          .isSorted();
    }
  }

  @ParameterizedTest
  @EnumSource(Mode.class)
  void aPauseSurvivesARestart(Mode mode) {
    try (Scenario scenario = scenario(mode, TestDatabase.POSTGRES)) {
      Outbox first = start(scenario, mode);
      pause(scenario, null, PAUSED);
      scenario.write(scenario.coldWriter(), mixed(100, 0));
      await().until(() -> delivered(scenario, Scenario.TYPE).size() == 50);
      awaitStandstill(scenario);
      first.close();
      int before = delivered(scenario, PAUSED).size(); // in the second before the node looked
      Outbox second = start(scenario, mode);
      scenario.write(second.writer(), mixed(100, 100));
      await().until(() -> delivered(scenario, Scenario.TYPE).size() == 100);
      assertThat(delivered(scenario, PAUSED)).hasSize(before);

      resume(scenario, null, PAUSED);
      scenario.awaitAllDone(200);
      assertThat(scenario.deliveries.count()).isEqualTo(200);
    }
  }

  @EachDatabase
  void aPausedEventHoldsItsKeyAndOtherKeysGoOn(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      pause(scenario, null, PAUSED);
      Outbox outbox = start(scenario, Mode.ORDERED_BY_KEY);
      List<EventEnvelope> held =
          List.of(
              event(Scenario.TYPE, "held", 0),
              event(PAUSED, "held", 1),
              event(Scenario.TYPE, "held", 2));
      scenario.write(outbox.writer(), held);
      scenario.write(
          outbox.writer(),
          IntStream.range(0, 100).mapToObj(n -> event(Scenario.TYPE, "free", n)).toList());

      await().until(() -> scenario.count(EventStatus.DONE) == 101);
      assertThat(scenario.deliveries.ids())
          .contains(held.get(0).eventId())
          .doesNotContain(held.get(1).eventId(), held.get(2).eventId());

      resume(scenario, null, PAUSED);
      scenario.awaitAllDone(103);
      assertInOrder(scenario);
    }
  }

  private static EventEnvelope ofTenant(String tenant, int n) {
    return EventEnvelope.builder(Scenario.TYPE)
        .tenantId(tenant)
        .orderingKey(tenant + "-" + n % 5)
        .payloadJson(Integer.toString(n))
        .build();
  }

  @ParameterizedTest
  @CsvSource({
    "SINGLE_NODE, H2",
    "MULTI_NODE, POSTGRES",
    "ORDERED_BY_KEY, POSTGRES",
    "MULTI_NODE, MARIADB",
  })
  void aTenantIsPausedWhileOthersFlow(Mode mode, TestDatabase kind) {
    try (Scenario scenario = scenario(mode, kind)) {
      OutboxSchema.createHolds(scenario.pool, "outbox_event");
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      assertThat(operator.pauseTenant("slow", "it asked for it")).isTrue();
      Outbox outbox = start(scenario, mode);
      List<EventEnvelope> events =
          IntStream.range(0, 100).mapToObj(n -> ofTenant(n % 2 == 0 ? "slow" : "fast", n)).toList();
      scenario.write(outbox.writer(), events.subList(0, 50));
      scenario.write(scenario.coldWriter(), events.subList(50, 100));

      await().until(() -> scenario.count(EventStatus.DONE) == 50);
      assertThat(scenario.deliveries.events())
          .extracting(EventEnvelope::tenantId)
          .containsOnly("fast");
      assertThat(scenario.query("SELECT 1 FROM outbox_event WHERE attempts > 0")).isEmpty();
      EventSummary waiting =
          operator.search(EventFilter.builder().tenantId("slow").build(), null, 1).events().get(0);
      if (waiting.lockedBy() == null) {
        assertThat(operator.waitReasons(List.of(waiting)).of(waiting).orElseThrow().what())
            .contains("the end of a pause", "it asked for it");
      }

      assertThat(operator.resumeTenant("slow")).isTrue();
      scenario.awaitAllDone(100);
      assertThat(scenario.deliveries.ids())
          .containsExactlyInAnyOrderElementsOf(
              events.stream().map(EventEnvelope::eventId).toList());
      if (mode == Mode.ORDERED_BY_KEY) {
        assertInOrder(scenario);
      }
    }
  }

  /** Sends to a destination that the payload names. */
  private record Sender(Deliveries deliveries) implements EventListener, Addressed {
    @Override
    public DispatchResult onEvent(EventEnvelope event) throws Exception {
      return deliveries.onEvent(event);
    }

    @Override
    public String destinationOf(EventEnvelope event) {
      return "topic " + (Integer.parseInt(event.payloadJson()) % 2 == 0 ? "even" : "odd");
    }
  }

  @EachDatabase
  void aDestinationIsPausedWhileOthersFlow(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      OutboxSchema.createHolds(scenario.pool, "outbox_event");
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      assertThat(operator.pauseDestination("topic even", null)).isTrue();
      scenario.start(
          scenario.singleNode().listenerRegistry(Scenario.to(new Sender(scenario.deliveries))));
      scenario.write(
          scenario.coldWriter(),
          IntStream.range(0, 20).mapToObj(n -> event(Scenario.TYPE, null, n)).toList());

      await().until(() -> scenario.count(EventStatus.DONE) == 10);
      assertThat(scenario.deliveries.events())
          .allSatisfy(event -> assertThat(event.payloadJson()).containsPattern("[13579]$"));

      assertThat(operator.resumeDestination("topic even")).isTrue();
      scenario.awaitAllDone(20);
      assertThat(scenario.deliveries.count()).isEqualTo(20);
    }
  }

  @ParameterizedTest
  @EnumSource(names = "H2")
  void inOrderEverythingWaitsBehindAPausedTenant(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      OutboxSchema.createHolds(scenario.pool, "outbox_event");
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      operator.pauseTenant("slow", null);
      Outbox outbox = scenario.start(scenario.ordered());
      scenario.write(
          outbox.writer(), List.of(ofTenant("fast", 0), ofTenant("slow", 1), ofTenant("fast", 2)));

      await().until(() -> scenario.count(EventStatus.DONE) == 1);
      operator.resumeTenant("slow");
      scenario.awaitAllDone(3);
      assertThat(scenario.deliveries.events())
          .extracting(EventEnvelope::payloadJson)
          .containsExactly("0", "1", "2");
    }
  }
}
