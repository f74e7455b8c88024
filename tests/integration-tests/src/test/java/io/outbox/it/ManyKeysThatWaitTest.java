package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.model.EventKey;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** Order by key where nearly all keys wait for a time. */
class ManyKeysThatWaitTest {

  private static final int KEYS = 8_000;

  /** Longer than anybody waits here: what a start does not find is not found. */
  private static final long INTERVAL_MILLIS = 600_000;

  private static EventEnvelope event(String key, Duration delay) {
    EventEnvelope.Builder event =
        EventEnvelope.builder(Scenario.TYPE).orderingKey(key).payloadJson("{}");
    return delay.isZero() ? event.build() : event.deliverAfter(delay).build();
  }

  /** In the last lane, behind which a look from key to key comes last. */
  private static String lastKey() {
    return IntStream.iterate(0, i -> i + 1)
        .mapToObj(i -> "zz-" + i)
        .filter(key -> EventKey.named(key).lane() == EventKey.LANES - 1)
        .findFirst()
        .orElseThrow();
  }

  @EachServer
  void R12_aNodeThatStartsFindsTheDueEventsBetweenThem(TestDatabase kind) throws Exception {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      for (int from = 0; from < KEYS; from += 1000) {
        List<EventEnvelope> some =
            IntStream.range(from, from + 1000)
                .mapToObj(n -> event("key-" + n, Duration.ofDays(1)))
                .toList();
        scenario.write(scenario.coldWriter(), some);
      }
      String first = scenario.write(scenario.coldWriter(), event(lastKey(), Duration.ZERO));
      String second = scenario.write(scenario.coldWriter(), event(lastKey(), Duration.ZERO));

      scenario.start(scenario.orderedByKey().intervalMs(INTERVAL_MILLIS));

      scenario.awaitStatus(first, EventStatus.DONE);
      scenario.awaitStatus(second, EventStatus.DONE);
      assertThat(scenario.deliveries.count()).isEqualTo(2);
    }
  }
}
