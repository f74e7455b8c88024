package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.junit.jupiter.api.Timeout;

/**
 * R20: three nodes whose clocks are five minutes apart. What asked for no delay is delivered long
 * before the slowest clock reaches the time that the fastest wrote.
 */
@Timeout(300)
class ClockSkewTest {

  private static final Duration SKEW = Duration.ofMinutes(5);
  private static final List<Duration> OFFSETS = List.of(SKEW, Duration.ZERO, SKEW.negated());
  private static final Duration PROMPTLY = Duration.ofMinutes(1);
  private static final int KEYS = 8;
  private static final int ROUNDS = 10;

  private record SkewedNode(Clock clock, OutboxWriter writer) {
    EventEnvelope event(int key, int number) {
      return EventEnvelope.builder(Scenario.TYPE)
          .orderingKey("key-" + key)
          .occurredAt(clock.instant())
          .payloadJson(Integer.toString(number))
          .build();
    }
  }

  private static List<SkewedNode> start(
      Scenario scenario, Supplier<Outbox.AbstractBuilder<?>> builder) {
    List<SkewedNode> nodes = new ArrayList<>();
    for (Duration offset : OFFSETS) {
      Clock clock = Clock.offset(Clock.systemUTC(), offset);
      Outbox outbox = scenario.start(builder.get().clock(clock));
      nodes.add(new SkewedNode(clock, outbox.writer()));
      nodes.add(new SkewedNode(clock, scenario.coldWriter()));
    }
    return nodes;
  }

  /** Each key by all nodes in turn; returns how many events that were. */
  private static int write(Scenario scenario, List<SkewedNode> nodes) {
    int number = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (SkewedNode node : nodes) {
        List<EventEnvelope> batch = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
          batch.add(node.event(key, number));
        }
        scenario.write(node.writer(), batch.subList(0, 1)); // one row and many go different ways
        scenario.write(node.writer(), batch.subList(1, KEYS));
        number++;
      }
    }
    return number * KEYS;
  }

  @EachDatabase
  void R20_orderByKeyDoesNotWaitForAWritersClock(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      List<SkewedNode> nodes = start(scenario, () -> scenario.orderedByKey().intervalMs(200));
      int written = write(scenario, nodes);

      scenario.awaitFinished(PROMPTLY);
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, written));
      for (int key = 0; key < KEYS; key++) {
        String name = "key-" + key;
        List<Integer> numbers =
            scenario.deliveries.events().stream()
                .filter(event -> event.orderingKey().equals(name))
                .map(event -> Integer.valueOf(event.payloadJson()))
                .toList();
        assertThat(numbers).as(name).hasSize(ROUNDS * nodes.size()).isSorted();
      }
    }
  }

  @EachDatabase
  void R20_aPollerDoesNotWaitForAWritersClock(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<SkewedNode> nodes =
          start(
              scenario,
              () -> scenario.multiNode(Duration.ofMinutes(1)).hotQueueCapacity(1).intervalMs(200));
      int written = write(scenario, nodes);

      scenario.awaitFinished(PROMPTLY);
      assertThat(scenario.counts()).isEqualTo(Map.of(EventStatus.DONE, written));
      assertThat(scenario.deliveries.repeated()).isEmpty();
    }
  }

  /** An event may speak of the future, too: only a delay makes it wait. */
  @EachDatabase
  void R20_anEventThatSpeaksOfTheFutureIsDeliveredNow(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      scenario.start(scenario.ordered().intervalMs(200));
      Instant nextCentury = Instant.parse("2100-01-01T00:00:00Z");
      String id =
          scenario.write(
              scenario.coldWriter(),
              EventEnvelope.builder(Scenario.TYPE)
                  .occurredAt(nextCentury)
                  .payloadJson("{}")
                  .build());

      scenario.awaitFinished(PROMPTLY);
      assertThat(scenario.deliveries.events().get(0).occurredAt()).isEqualTo(nextCentury);
      assertThat(scenario.status(id)).isEqualTo(EventStatus.DONE);
    }
  }
}
