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
@Timeout(300)
class TimelinessTest {

  private static final int EVENTS = 6;
  private static final int MOST_EVENTS = 60;
  private static final Duration PROMPTLY = Duration.ofMillis(250);

  /** So long that no poll is in time by chance. */
  private static final Duration RARELY = Duration.ofMinutes(2);

  @EachDatabase
  void R11_retriesDeferralsAndDelaysOfALiveNodeAreInTime(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(scenario.singleNode().intervalMs(RARELY.toMillis()));
      assertInTime(scenario, outbox.writer());
    }
  }

  @EachDatabase
  void R11_retriesDeferralsAndDelaysAreInTimeBesideOtherNodes(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Outbox outbox = scenario.start(besideOthers(scenario));
      scenario.start(besideOthers(scenario));
      assertInTime(scenario, outbox.writer());
    }
  }

  private static Outbox.MultiNodeBuilder besideOthers(Scenario scenario) {
    return scenario.multiNode(Duration.ofMinutes(5)).intervalMs(RARELY.toMillis());
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
    int written = 0;
    while (written == 0 || (!isPrompt(lateness) && written < MOST_EVENTS)) {
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
      written += EVENTS;
      scenario.awaitAllDone(3 * written);
    }
    int ofEach = written;
    assertThat(lateness).containsOnlyKeys("Failing", "Deferred", "Delayed");
    assertThat(isPrompt(lateness)).as("the best of %s", lateness).isTrue();
    lateness.forEach(
        (type, late) -> {
          // an engine knows the database's time as well as a round trip lets it
          assertThat(late).as(type).hasSize(ofEach).allMatch(one -> one.toMillis() > -50);
          assertThat(late).as(type).allMatch(one -> one.compareTo(RARELY.dividedBy(2)) < 0);
        });
  }

  private static boolean isPrompt(Map<String, List<Duration>> lateness) {
    return lateness.values().stream()
        .allMatch(late -> Collections.min(late).compareTo(PROMPTLY) <= 0);
  }

  @EachDatabase
  void R11_whatOthersWroteIsDeliveredWithinTheInterval(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      Tap<OutboxStore> store = scenario.storeTap();
      long start = System.nanoTime();
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
      int polls = store.calls("fetchPending");
      long millis = Duration.ofNanos(System.nanoTime() - start).toMillis();
      assertThat(polls).isLessThan((int) (10 + millis / 500));
    }
  }
}
