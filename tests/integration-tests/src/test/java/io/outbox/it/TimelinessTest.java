package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.Outbox;
import io.outbox.OutboxWriter;
import io.outbox.spi.OutboxStore;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Timeout;

/** R11: what waits for its time is delivered in time, at the default settings. */
@Timeout(120)
class TimelinessTest {

  private static final int EVENTS = 6;

  @EachDatabase
  void R11_retriesDeferralsAndDelaysOfALiveNodeAreInTime(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode());
      assertInTime(scenario, outbox.writer());
    }
  }

  @EachDatabase
  void R11_retriesDeferralsAndDelaysAreInTimeBesideOtherNodes(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.multiNode(Duration.ofMinutes(5)));
      scenario.start(scenario.multiNode(Duration.ofMinutes(5)));
      assertInTime(scenario, outbox.writer());
    }
  }

  /** The machine that runs this may be slow now and then: the best of several counts. */
  private static void assertInTime(Scenario scenario, OutboxWriter writer) {
    Map<String, List<Duration>> lateness = new ConcurrentHashMap<>();
    scenario.deliveries.then(
        event -> {
          boolean first = scenario.deliveries.countOf(event.eventId()) == 1;
          if (first && event.eventType().equals("Failing")) {
            throw new IllegalStateException("once");
          } else if (first && event.eventType().equals("Deferred")) {
            return DispatchResult.retryAfter(Duration.ofMillis(300));
          }
          Instant now = scenario.databaseTime();
          Instant due = scenario.instant("available_at", event.eventId());
          lateness
              .computeIfAbsent(event.eventType(), type -> new CopyOnWriteArrayList<>())
              .add(Duration.between(due, now));
          return DispatchResult.done();
        });
    for (int i = 0; i < EVENTS; i++) {
      scenario.write(
          writer,
          List.of(
              EventEnvelope.ofJson("Failing", "{}"),
              EventEnvelope.ofJson("Deferred", "{}"),
              EventEnvelope.builder("Delayed")
                  .deliverAfter(Duration.ofMillis(300))
                  .payloadJson("{}")
                  .build()));
    }
    scenario.awaitAllDone(3 * EVENTS);
    assertThat(lateness).containsOnlyKeys("Failing", "Deferred", "Delayed");
    lateness.forEach(
        (type, late) -> {
          // an engine knows the database's time as well as a round trip lets it
          assertThat(late).as(type).hasSize(EVENTS).allMatch(each -> each.toMillis() > -50);
          assertThat(Collections.min(late)).as(type).isLessThanOrEqualTo(Duration.ofMillis(250));
          assertThat(late).as(type).allMatch(each -> each.toMillis() < 2500);
        });
  }

  @EachDatabase
  void R11_whatOthersWroteIsDeliveredWithinTheInterval(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store = scenario.storeTap();
      scenario.start(scenario.singleNode().outboxStore(store.proxy()).intervalMs(500));
      scenario.write(
          scenario.coldWriter(),
          List.of(
              Scenario.event(),
              EventEnvelope.builder(Scenario.TYPE)
                  .deliverAfter(Duration.ofMillis(700))
                  .payloadJson("{}")
                  .build()));
      scenario.awaitAllDone(2);
      // it was not a poll without a pause that found them
      assertThat(store.calls("fetchPending")).isLessThan(12);
    }
  }
}
