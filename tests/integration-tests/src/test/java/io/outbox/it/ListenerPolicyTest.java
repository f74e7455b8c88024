package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.WaitReason;
import io.outbox.policy.ListenerPolicy;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Listeners with policies of their own, beside others. */
@Timeout(300)
class ListenerPolicyTest {

  private static final String SLOW = "Slow";
  private static final int MANY = 200;
  private static final int KEYS = 40;

  private final CountDownLatch open = new CountDownLatch(1);
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger mostRunning = new AtomicInteger();
  private final Map<String, List<String>> slow = new ConcurrentHashMap<>(); // by key, in order

  static Stream<Arguments> modes() {
    return Databases.all()
        .flatMap(
            kind ->
                Stream.of(BuiltMode.SINGLE_NODE, BuiltMode.MULTI_NODE, BuiltMode.ORDERED_BY_KEY)
                    .map(mode -> Arguments.of(kind, mode)));
  }

  private DispatchResult slowly(EventEnvelope event) throws InterruptedException {
    mostRunning.accumulateAndGet(running.incrementAndGet(), Math::max);
    try {
      open.await();
      slow.computeIfAbsent(event.orderingKey(), key -> new CopyOnWriteArrayList<>())
          .add(event.eventId());
      return DispatchResult.done();
    } finally {
      running.decrementAndGet();
    }
  }

  private static List<EventEnvelope> slowEvents(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            n ->
                EventEnvelope.builder(SLOW)
                    .orderingKey("key-" + n % KEYS)
                    .payloadJson("{}")
                    .build())
        .toList();
  }

  @ParameterizedTest(name = "{0} {1}")
  @Tag("each-database")
  @MethodSource("modes")
  void aBulkheadLeavesWorkersToOthersAndKeepsTheOrderOfKeys(TestDatabase kind, BuiltMode mode) {
    try (Scenario scenario = BuiltMode.on(kind)) {
      EventListener policed = ListenerPolicy.builder().concurrency(2).build().around(this::slowly);
      scenario.registry.register(SLOW, policed);
      List<EventEnvelope> written = new ArrayList<>(slowEvents(MANY));
      scenario.write(scenario.coldWriter(), written);
      Outbox outbox = scenario.start(mode.builder(scenario, 5000));
      await().until(() -> running.get() == 2);

      for (int i = 0; i < 10; i++) {
        List<EventEnvelope> more = slowEvents(KEYS);
        scenario.write(outbox.writer(), more);
        written.addAll(more);
        scenario.write(outbox.writer(), Scenario.events(MANY / 10));
      }
      await().until(() -> scenario.deliveries.count() == MANY);
      assertThat(running).hasValue(2);
      open.countDown();

      scenario.awaitAllDone(written.size() + MANY);
      assertThat(mostRunning).hasValue(2);
      assertThat(scenario.deliveries.count()).isEqualTo(MANY); // each once
      assertThat(slow.values().stream().mapToInt(List::size).sum()).isEqualTo(written.size());
      assertThat(scenario.query("SELECT COUNT(*) FROM outbox_event WHERE attempts > 0").get(0))
          .first()
          .satisfies(count -> assertThat(((Number) count).intValue()).isZero());
      if (mode == BuiltMode.ORDERED_BY_KEY) {
        assertThat(slow).isEqualTo(byKey(written));
      }
    } finally {
      open.countDown();
    }
  }

  private static Map<String, List<String>> byKey(List<EventEnvelope> events) {
    Map<String, List<String>> byKey = new ConcurrentHashMap<>();
    for (EventEnvelope event : events) {
      byKey.computeIfAbsent(event.orderingKey(), key -> new ArrayList<>()).add(event.eventId());
    }
    return byKey;
  }

  @EachDatabase
  void R5_whatWaitsForAPlaceKeepsItsLeaseAndIsDeliveredOnce(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Duration lease = Duration.ofSeconds(1);
      EventListener policed = ListenerPolicy.builder().concurrency(1).build().around(this::slowly);
      scenario.registry.register(SLOW, policed);
      Outbox first = scenario.start(scenario.multiNode(lease).intervalMs(100));
      scenario.write(first.writer(), slowEvents(4));
      await().until(() -> running.get() == 1);
      scenario.start(scenario.multiNode(lease).intervalMs(100).listenerRegistry(scenario.registry));

      long begin = System.nanoTime();
      await().until(() -> System.nanoTime() - begin > lease.multipliedBy(2).toNanos());
      open.countDown();

      scenario.awaitAllDone(4);
      assertThat(slow.values().stream().mapToInt(List::size).sum()).isEqualTo(4);
    } finally {
      open.countDown();
    }
  }

  /** Whatever the database. */
  @Test
  void R24_whatWaitsForAPlaceSaysSo() {
    try (Scenario scenario = Scenario.on(TestDatabase.H2)) {
      EventListener policed = ListenerPolicy.builder().concurrency(1).build().around(this::slowly);
      scenario.registry.register(SLOW, policed);
      Outbox outbox = scenario.start(scenario.singleNode());
      scenario.write(outbox.writer(), slowEvents(KEYS));
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      List<EventSummary> events =
          operator.search(EventFilter.builder().build(), null, KEYS).events();

      await().until(() -> operator.waitReasons(events), reasons -> !reasons.busy().isEmpty());
      assertThat(operator.waitReasons(events).of(events.get(0)))
          .hasValueSatisfying(
              reason -> {
                assertThat(reason.kind()).isEqualTo(WaitReason.Kind.BUSY);
                assertThat(reason.what())
                    .isEqualTo("a place of listener ListenerPolicyTest for Slow (1 at a time)");
                assertThat(reason.since()).isNotNull();
              });
    } finally {
      open.countDown();
    }
  }

  @EachDatabase
  void aPolicyDecidesAboutAttemptsAgeAndExceptions(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<String> told = new CopyOnWriteArrayList<>();
      AtomicInteger calls = new AtomicInteger();
      ListenerPolicy policy =
          ListenerPolicy.builder()
              .maxAttempts(2)
              .retryPolicy(failures -> 0)
              .retryNever(IOException.class)
              .retryAlways(IllegalStateException.class)
              .fallback((event, reason) -> told.add(event.eventId()))
              .build();
      scenario.registry.register(
          "Twice",
          policy.around(
              event -> {
                throw new IllegalArgumentException("fails");
              }));
      scenario.registry.register(
          "Never",
          policy.around(
              event -> {
                throw new IOException("fails for good");
              }));
      scenario.registry.register(
          "Always",
          policy.around(
              event -> {
                if (calls.incrementAndGet() <= 5) {
                  throw new IllegalStateException("fails often");
                }
                return null;
              }));
      Outbox outbox = scenario.start(scenario.singleNode());
      String twice = scenario.write(outbox.writer(), EventEnvelope.ofJson("Twice", "{}"));
      String never = scenario.write(outbox.writer(), EventEnvelope.ofJson("Never", "{}"));
      String always = scenario.write(outbox.writer(), EventEnvelope.ofJson("Always", "{}"));

      scenario.awaitStatus(twice, EventStatus.DEAD);
      scenario.awaitStatus(never, EventStatus.DEAD);
      scenario.awaitStatus(always, EventStatus.DONE);
      assertThat(scenario.number("attempts", twice)).isEqualTo(2);
      assertThat(scenario.number("attempts", never)).isZero();
      assertThat(scenario.number("attempts", always)).isEqualTo(5);
      await().until(() -> told.containsAll(List.of(twice, never)));
      assertThat(told).doesNotContain(always);
    }
  }

  @EachDatabase
  void aRateLimitBurnsNoAttemptsAndOrderedKeepsItsOrder(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      ListenerPolicy policy =
          ListenerPolicy.builder()
              .rateLimit(5, Duration.ofMillis(200))
              .maxAttempts(3) // without effect here
              .build();
      open.countDown();
      List<String> order = new CopyOnWriteArrayList<>();
      scenario.registry.register(
          SLOW,
          policy.around(
              event -> {
                order.add(event.eventId());
                if (order.size() == 3) {
                  throw new IllegalStateException("the only attempt");
                }
                return null;
              }));
      List<String> ids = scenario.write(scenario.coldWriter(), slowEvents(15));
      long begin = System.nanoTime();
      scenario.start(scenario.ordered().intervalMs(100));

      await().until(scenario::counts, Map.of(EventStatus.DONE, 14, EventStatus.DEAD, 1)::equals);
      assertThat(order).containsExactlyElementsOf(ids);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThan(Duration.ofMillis(400));
    }
  }
}
