package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.model.EventKey;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Timeout;

/** One builder may build many outboxes; each is a node of its own. */
@Timeout(300)
class OneBuilderTest {

  private static final int KEYS = 10;
  private static final int EVENTS = 400;

  private final Set<String> running = ConcurrentHashMap.newKeySet();
  private final AtomicInteger overlaps = new AtomicInteger();

  private DispatchResult slowly(EventEnvelope event) throws InterruptedException {
    if (!running.add(event.orderingKey())) {
      overlaps.incrementAndGet();
    }
    Thread.sleep(2); // for the other node to come in between
    running.remove(event.orderingKey());
    return DispatchResult.done();
  }

  @EachDatabase
  void R3_twoOutboxesOfOneBuilderKeepTheOrderOfKeysTogether(TestDatabase kind) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.deliveries.then(this::slowly);
      Outbox.OrderedByKeyBuilder builder = scenario.orderedByKey().intervalMs(100);
      Outbox first = scenario.start(builder);
      Outbox second = scenario.start(builder);
      for (int n = 0; n < EVENTS; n += KEYS) {
        OutboxWriter writer = (n / KEYS % 2 == 0 ? first : second).writer();
        List<EventEnvelope> events = new ArrayList<>();
        for (int key = 0; key < KEYS; key++) {
          events.add(
              EventEnvelope.builder(Scenario.TYPE)
                  .orderingKey("key " + key)
                  .payloadJson(Integer.toString(n / KEYS))
                  .build());
        }
        scenario.write(writer, events);
      }
      scenario.awaitFinished(Duration.ofSeconds(60));

      assertThat(scenario.deliveries.repeated()).isEmpty();
      assertThat(overlaps).hasValue(0);
      List<String> inOrder = IntStream.range(0, EVENTS / KEYS).mapToObj(Integer::toString).toList();
      for (int key = 0; key < KEYS; key++) {
        String name = "key " + key;
        assertThat(
                scenario.deliveries.events().stream()
                    .filter(event -> EventKey.of(event).name().equals(name))
                    .map(EventEnvelope::payloadJson))
            .as(name)
            .containsExactlyElementsOf(inOrder);
      }
    }
  }
}
