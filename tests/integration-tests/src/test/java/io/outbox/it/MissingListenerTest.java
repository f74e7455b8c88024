package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.Condition;
import io.outbox.operate.Condition.Kind;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.WaitReason;
import io.outbox.registry.DefaultListenerRegistry;
import io.outbox.spi.Member;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.PendingBatch;
import io.outbox.spi.lanes.KeyPage;
import io.outbox.spi.lanes.SinglesPage;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** R25: an old node does not make events of new types DEAD. */
@Timeout(600)
class MissingListenerTest {

  private static final Duration PATIENCE = Duration.ofSeconds(90);
  private static final Duration LONG = Duration.ofHours(1);
  private static final Duration SHORT = Duration.ofSeconds(1);
  private static final String TOUCHED =
      "SELECT 1 FROM outbox_event"
          + " WHERE locked_by IS NOT NULL OR attempts > 0 OR claims > 0 OR starts > 0";
  private static final String OLD_TYPE = "Old";
  private static final String NEW_TYPE = "New";

  /** The modes for many nodes. */
  enum Mode {
    MULTI_NODE {
      @Override
      Outbox.DispatchingBuilder<?> node(Scenario scenario, Duration grace) {
        return scenario.multiNode(Duration.ofMinutes(1)).missingListenerGrace(grace);
      }
    },
    ORDERED_BY_KEY {
      @Override
      Outbox.DispatchingBuilder<?> node(Scenario scenario, Duration grace) {
        return scenario.orderedByKey().missingListenerGrace(grace);
      }
    };

    abstract Outbox.DispatchingBuilder<?> node(Scenario scenario, Duration grace);
  }

  static Stream<Arguments> all() {
    return Databases.all()
        .flatMap(kind -> Stream.of(Mode.values()).map(mode -> Arguments.of(kind, mode)));
  }

  private static EventEnvelope event(String type, String key) {
    return EventEnvelope.builder(type).orderingKey(key).payloadJson("{}").build();
  }

  private static List<EventEnvelope> events(int count) {
    return IntStream.range(0, count).mapToObj(n -> event(NEW_TYPE, "key " + n)).toList();
  }

  private static DefaultListenerRegistry old(Scenario scenario) {
    return new DefaultListenerRegistry().register(OLD_TYPE, scenario.deliveries);
  }

  private static Outbox start(
      Scenario scenario, Mode mode, Duration grace, DefaultListenerRegistry registry) {
    return scenario.start(mode.node(scenario, grace).intervalMs(100).listenerRegistry(registry));
  }

  private static List<Kind> conditions(Outbox outbox) {
    return outbox.conditions().stream().map(Condition::kind).toList();
  }

  private static void awaitNoticed(Outbox outbox) {
    await().atMost(PATIENCE).until(() -> conditions(outbox).contains(Kind.NO_LISTENER));
  }

  private static List<Member> members(Scenario scenario) {
    return OutboxOperator.of(scenario.connections, scenario.store).members();
  }

  /** Until every node that is alive has said {@code times} what it lacks. */
  private static void awaitBeats(Scenario scenario, int times) {
    for (int i = 0; i < times; i++) {
      Instant now = scenario.databaseTime();
      await()
          .atMost(PATIENCE)
          .until(() -> members(scenario).stream().allMatch(member -> member.beatAt().isAfter(now)));
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("all")
  void R25_eventsOfANewTypeAreLeftToTheNodesThatKnowIt(TestDatabase kind, Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox old = start(scenario, mode, SHORT, old(scenario));
      Deliveries byTheNewOne = new Deliveries();
      start(scenario, mode, SHORT, old(scenario).register(NEW_TYPE, byTheNewOne));
      await().atMost(PATIENCE).until(() -> members(scenario).size() == 2);
      scenario.write(old.writer(), events(20)); // hot, where nobody knows it
      scenario.write(scenario.coldWriter(), events(20));
      String known = scenario.write(old.writer(), event(OLD_TYPE, "known"));

      scenario.awaitStatus(known, EventStatus.DONE);
      awaitNoticed(old);
      awaitBeats(scenario, 2); // longer than the grace period
      assertThat(scenario.count(EventStatus.DEAD)).isZero();
      old.close(); // with the lanes it had
      await().atMost(PATIENCE).until(scenario::counts, Map.of(EventStatus.DONE, 41)::equals);
      assertThat(byTheNewOne.count()).isEqualTo(40);
      assertThat(byTheNewOne.repeated()).isEmpty();
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("all")
  void R25_whatNoNodeKnowsIsDeadAfterTheGracePeriod(TestDatabase kind, Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      List<Outbox> nodes = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        DefaultListenerRegistry near =
            old(scenario).register("Order", NEW_TYPE, event -> DispatchResult.done());
        nodes.add(start(scenario, mode, SHORT, near));
      }
      String hot = scenario.write(nodes.get(0).writer(), event(NEW_TYPE, "a"));
      String behind = scenario.write(nodes.get(0).writer(), event(OLD_TYPE, "a"));
      String cold = scenario.write(scenario.coldWriter(), event(NEW_TYPE, "b"));

      for (String id : List.of(hot, cold)) {
        await().atMost(PATIENCE).until(() -> scenario.status(id), EventStatus.DEAD::equals);
        assertThat(scenario.number("attempts", id)).isZero();
        assertThat((String) scenario.column("last_error", id))
            .contains("no live node has had a listener since 2")
            .contains("There is one for this event type with aggregate type 'Order'");
      }
      scenario.awaitStatus(behind, EventStatus.DONE);
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("all")
  void R25_withoutAGracePeriodItIsDeadAtOnce(TestDatabase kind, Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Outbox outbox = start(scenario, mode, Duration.ZERO, old(scenario));
      String id = scenario.write(outbox.writer(), event(NEW_TYPE, "a"));

      scenario.awaitStatus(id, EventStatus.DEAD);
      assertThat((String) scenario.column("last_error", id))
          .contains("no listener is registered for")
          .doesNotContain("live node");
      assertThat(conditions(outbox)).isEmpty();
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("all")
  void R25_aListenerThatIsRegisteredLaterGetsThem(TestDatabase kind, Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      DefaultListenerRegistry registry = old(scenario);
      Outbox outbox = start(scenario, mode, LONG, registry);
      scenario.write(outbox.writer(), events(5));
      scenario.write(scenario.coldWriter(), events(5));
      awaitNoticed(outbox);
      registry.register(NEW_TYPE, scenario.deliveries);

      await().atMost(PATIENCE).until(scenario::counts, Map.of(EventStatus.DONE, 10)::equals);
      await().until(() -> conditions(outbox).isEmpty());
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  @ParameterizedTest(name = "{0} {1}")
  @Execution(ExecutionMode.CONCURRENT)
  @MethodSource("all")
  void R25_whatWaitsIsNotReadAgainAndAgainAndHeldByNobody(TestDatabase kind, Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      AtomicInteger read = new AtomicInteger();
      AtomicInteger looks = new AtomicInteger();
      Outbox outbox =
          scenario.start(
              mode.node(scenario, LONG)
                  .intervalMs(50)
                  .listenerRegistry(old(scenario))
                  .outboxStore(counting(scenario.store, read, looks)));
      scenario.write(scenario.coldWriter(), events(200));
      awaitNoticed(outbox);
      List<String> hot = scenario.write(outbox.writer(), events(20));
      await().until(() -> scenario.query(TOUCHED).isEmpty()); // what was queued is given back
      awaitLooks(looks, 20);

      int before = read.get();
      awaitLooks(looks, 50);
      assertThat(read.get() - before).isZero();
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.NEW, 220));
      assertThat(scenario.query(TOUCHED)).isEmpty();
      assertThat(hot).allSatisfy(id -> assertThat(scenario.number("lease_no", id)).isZero());

      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      await()
          .atMost(PATIENCE)
          .until(
              () ->
                  operator
                      .waitReasons()
                      .of(operator.search(EventFilter.ALL, null, 1).events().get(0))
                      .filter(reason -> reason.kind() == WaitReason.Kind.NO_LISTENER)
                      .isPresent());

      // Others are not starved.
      String known = scenario.write(outbox.writer(), event(OLD_TYPE, "other"));
      String foreign = scenario.write(scenario.coldWriter(), event(OLD_TYPE, "another"));
      scenario.awaitStatus(known, EventStatus.DONE);
      scenario.awaitStatus(foreign, EventStatus.DONE);
    }
  }

  private static void awaitLooks(AtomicInteger looks, int more) {
    int before = looks.get();
    await().atMost(PATIENCE).until(() -> looks.get() >= before + more);
  }

  /** Counts rows of the new type that are read, and how often somebody looks. */
  private static OutboxStore counting(OutboxStore real, AtomicInteger read, AtomicInteger looks) {
    LaneTap tap = new LaneTap(real);
    tap.store.on(
        "fetchPending",
        call -> {
          PendingBatch batch = (PendingBatch) call.proceed();
          count(batch.events(), read, looks);
          return batch;
        });
    for (String method : List.of("scan", "read")) {
      tap.lanes.on(
          method,
          call -> {
            KeyPage page = (KeyPage) call.proceed();
            count(page.rows(), read, looks);
            return page;
          });
    }
    tap.lanes.on(
        "singles",
        call -> {
          Optional<?> page = (Optional<?>) call.proceed();
          page.ifPresent(found -> count(((SinglesPage) found).rows(), read, looks));
          return page;
        });
    return tap.store();
  }

  private static void count(List<OutboxEvent> rows, AtomicInteger read, AtomicInteger looks) {
    read.addAndGet((int) rows.stream().filter(row -> row.eventType().equals(NEW_TYPE)).count());
    looks.incrementAndGet();
  }

  @EachDatabase
  void R25_anEventThatWaitsForAListenerHoldsItsKey(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      DefaultListenerRegistry registry = old(scenario);
      Outbox outbox = start(scenario, Mode.ORDERED_BY_KEY, LONG, registry);
      String first = scenario.write(outbox.writer(), event(OLD_TYPE, "held"));
      String second = scenario.write(outbox.writer(), event(NEW_TYPE, "held"));
      String third = scenario.write(outbox.writer(), event(OLD_TYPE, "held"));
      awaitNoticed(outbox);
      for (int i = 0; i < 10; i++) {
        scenario.awaitStatus(
            scenario.write(outbox.writer(), event(OLD_TYPE, "free " + i)), EventStatus.DONE);
      }
      assertThat(scenario.status(first)).isEqualTo(EventStatus.DONE);
      assertThat(scenario.deliveries.has(third)).isFalse();

      registry.register(NEW_TYPE, scenario.deliveries);
      await().atMost(PATIENCE).until(() -> scenario.status(third), EventStatus.DONE::equals);
      assertThat(
              scenario.deliveries.ids().stream()
                  .filter(id -> List.of(first, second, third).contains(id)))
          .containsExactly(first, second, third);
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(Mode.class)
  void R25_anOlderNodeThatSaysNothingMayHaveAListener(Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      scenario.update(
          "INSERT INTO outbox_event_member"
              + " (node_id, mode, delivers, started_at, beat_at, alive_until)"
              + " VALUES ('older', ?, 1, '2020-01-01 00:00:00Z', '2090-01-01 00:00:00Z',"
              + " '2099-01-01 00:00:00Z')",
          mode.name());
      Outbox outbox = start(scenario, mode, SHORT, old(scenario));
      String id = scenario.write(outbox.writer(), event(NEW_TYPE, "a"));
      awaitNoticed(outbox);
      awaitBeats(scenario, 2);
      assertThat(scenario.status(id)).isEqualTo(EventStatus.NEW);

      scenario.update("DELETE FROM outbox_event_member WHERE node_id = 'older'");
      await().atMost(PATIENCE).until(() -> scenario.status(id), EventStatus.DEAD::equals);
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(Mode.class)
  void R25_withoutTheListOfNodesTheGracePeriodIsTheNodesOwn(Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      scenario.update("DROP TABLE outbox_event_member");
      Outbox outbox = start(scenario, mode, SHORT, old(scenario));
      String id = scenario.write(outbox.writer(), event(NEW_TYPE, "a"));

      await().atMost(PATIENCE).until(() -> scenario.status(id), EventStatus.DEAD::equals);
      assertThat((String) scenario.column("last_error", id))
          .contains("no live node has had a listener since");
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(Mode.class)
  void R25_whatWaitsForAListenerGrowsNoOlderThanMaxAge(Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      Outbox outbox =
          scenario.start(
              mode.node(scenario, LONG)
                  .maxAge(Duration.ofSeconds(2))
                  .intervalMs(100)
                  .listenerRegistry(old(scenario)));
      String id = scenario.write(outbox.writer(), event(NEW_TYPE, "a"));

      await().atMost(PATIENCE).until(() -> scenario.status(id), EventStatus.DEAD::equals);
      assertThat((String) scenario.column("last_error", id))
          .contains("(maxAge)")
          .contains("no listener is registered");
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(Mode.class)
  void R25_moreRoutesThanCanBeToldWaitAllTheSame(Mode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      DefaultListenerRegistry registry = old(scenario);
      Outbox outbox = start(scenario, mode, LONG, registry);
      scenario.write(
          scenario.coldWriter(),
          IntStream.range(0, 120).mapToObj(n -> event("New " + n, "key " + n)).toList());
      awaitNoticed(outbox);
      String known = scenario.write(scenario.coldWriter(), event(OLD_TYPE, "other"));
      scenario.awaitStatus(known, EventStatus.DONE);
      assertThat(scenario.count(EventStatus.DEAD)).isZero();

      registry.registerDefault(scenario.deliveries);
      await().atMost(PATIENCE).until(scenario::counts, Map.of(EventStatus.DONE, 121)::equals);
    }
  }

  @ParameterizedTest
  @Execution(ExecutionMode.CONCURRENT)
  @EnumSource(
      value = BuiltMode.class,
      names = {"SINGLE_NODE", "ORDERED"})
  void R25_oneProcessMakesItDeadAtOnce(BuiltMode mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(TestDatabase.H2)) {
      Outbox outbox = scenario.start(mode.builder(scenario, 100).listenerRegistry(old(scenario)));
      String id = scenario.write(outbox.writer(), event(NEW_TYPE, "a"));

      scenario.awaitStatus(id, EventStatus.DEAD);
      assertThat((String) scenario.column("last_error", id)).doesNotContain("live node");
    }
  }
}
