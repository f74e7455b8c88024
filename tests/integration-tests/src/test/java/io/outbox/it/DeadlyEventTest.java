package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** R7: an event that kills the process ends DEAD, and only that event. */
@Timeout(300)
class DeadlyEventTest {

  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  @EachDatabase
  void R7_aSuspectIsStartedAloneAfterItsStartIsCommitted(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      String suspect = scenario.write(scenario.coldWriter(), Scenario.event());
      setClaimsAndStarts(scenario, suspect, 3, 0);
      CountDownLatch release = new CountDownLatch(1);
      Member member = new Member(scenario, "a");
      member.deliveries.then(
          event -> {
            if (event.eventId().equals(suspect)) {
              release.await();
            }
            return DispatchResult.done();
          });
      member.start(TIMEOUT);
      await().until(() -> member.deliveries.has(suspect));
      assertThat(scenario.number("starts", suspect)).isEqualTo(1);

      String neighbor = member.write();
      member.awaitPolls(3);
      assertThat(member.deliveries.has(neighbor)).isFalse();
      release.countDown();
      scenario.awaitAllDone(2);
      assertThat(scenario.number("starts", suspect)).isZero();
      assertThat(scenario.number("claims", suspect)).isZero();
    }
  }

  /** Else the start of an innocent event had no outcome when the next one kills the process. */
  @EachDatabase
  void R7_aSuspectIsStartedWhenTheOutcomeOfTheLastOneIsCommitted(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<String> suspects = scenario.write(scenario.coldWriter(), Scenario.events(2));
      suspects.forEach(id -> setClaimsAndStarts(scenario, id, 3, 0));
      CountDownLatch release = new CountDownLatch(1);
      Member member = new Member(scenario, "a");
      member.store.on(
          "recordOutcomes",
          call -> {
            release.await();
            return call.proceed();
          });
      member.start(TIMEOUT);
      await().until(() -> member.store.calls("recordOutcomes") > 0);
      member.awaitPolls(3);
      assertThat(member.deliveries.count()).isEqualTo(1);
      assertThat(scenario.query("SELECT event_id FROM outbox_event WHERE starts > 0")).hasSize(1);
      release.countDown();
      scenario.awaitAllDone(2);
    }
  }

  @EachDatabase
  void R7_onlyStartsWithoutAnOutcomeKillAnEvent(TestDatabase kind) {
    try (Scenario scenario = Scenario.on(kind)) {
      List<String> ids = scenario.write(scenario.coldWriter(), Scenario.events(4));
      setClaimsAndStarts(scenario, ids.get(0), 1000, 0);
      setClaimsAndStarts(scenario, ids.get(1), 4, 1);
      setClaimsAndStarts(scenario, ids.get(2), 5, 2);
      Member member = new Member(scenario, "a");
      member.start(TIMEOUT, builder -> builder.maxAttempts(2));

      await().until(scenario::counts, Map.of(EventStatus.DONE, 3, EventStatus.DEAD, 1)::equals);
      assertThat(scenario.status(ids.get(2))).isEqualTo(EventStatus.DEAD);
      assertThat((String) scenario.column("last_error", ids.get(2)))
          .contains("2 times")
          .contains("without an outcome");
      assertThat(member.deliveries.ids())
          .containsExactlyInAnyOrder(ids.get(0), ids.get(1), ids.get(3));
    }
  }

  private static void setClaimsAndStarts(Scenario scenario, String id, int claims, int starts) {
    scenario.update(
        "UPDATE outbox_event SET claims = ?, starts = ? WHERE event_id = ?", claims, starts, id);
  }

  /** Not on H2, whose database is in this process. */
  @EachServer
  @Execution(ExecutionMode.CONCURRENT)
  void R7_anEventThatKillsTheProcessEndsDeadAndItsNeighborsAreDelivered(TestDatabase kind)
      throws Exception {
    int maxAttempts = 2;
    try (Scenario scenario = Scenario.on(kind)) {
      List<EventEnvelope> events = new ArrayList<>(Scenario.events(2));
      EventEnvelope deadly = EventEnvelope.ofJson(DyingProcess.DEADLY, "{}");
      events.add(deadly);
      events.addAll(Scenario.events(2));
      scenario.write(scenario.coldWriter(), events);

      // all are claimed for the third time and none has an outcome: nobody can tell which it was
      events.forEach(event -> setClaimsAndStarts(scenario, event.eventId(), 2, 0));
      assertThat(DyingProcess.run(scenario.database, TIMEOUT, maxAttempts, false))
          .isEqualTo(DyingProcess.EXIT);
      scenario.endLeases();
      assertThat(events)
          .allSatisfy(event -> assertThat(scenario.number("claims", event.eventId())).isEqualTo(3));
      // now each is started alone
      for (int starts = 1; starts <= maxAttempts; starts++) {
        assertThat(DyingProcess.run(scenario.database, TIMEOUT, maxAttempts, true))
            .isEqualTo(DyingProcess.EXIT);
        scenario.endLeases();
        assertThat(scenario.number("starts", deadly.eventId())).isEqualTo(starts);
      }
      Member survivor = new Member(scenario, "a");
      survivor.start(TIMEOUT, builder -> builder.maxAttempts(maxAttempts));
      await().until(scenario::counts, Map.of(EventStatus.DONE, 4, EventStatus.DEAD, 1)::equals);
      assertThat(scenario.status(deadly.eventId())).isEqualTo(EventStatus.DEAD);
      assertThat(survivor.deliveries.has(deadly.eventId())).isFalse();
    }
  }

  @EachServer
  @Execution(ExecutionMode.CONCURRENT)
  void R7_anEventThatKillsTheProcessDoesNotHoldItsKeyForEver(TestDatabase kind) throws Exception {
    int maxAttempts = 2;
    Duration lease = Duration.ofMillis(500);
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      EventEnvelope deadly = ofKey(DyingProcess.DEADLY, "deadly");
      List<EventEnvelope> events = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        events.add(ofKey(Scenario.TYPE, "deadly")); // done before it, but not yet written
      }
      events.add(deadly);
      events.add(ofKey(Scenario.TYPE, "deadly"));
      events.add(ofKey(Scenario.TYPE, "innocent"));
      events.add(Scenario.event());
      scenario.write(scenario.coldWriter(), events);
      int deaths = 0;
      while (scenario.number("starts", deadly.eventId()) < maxAttempts) {
        assertThat(DyingProcess.runByKey(scenario.database, lease, maxAttempts))
            .as("after %d deaths", deaths)
            .isEqualTo(DyingProcess.EXIT);
        assertThat(++deaths).as("processes killed so far").isLessThan(13);
      }
      scenario.start(scenario.orderedByKey().maxAttempts(maxAttempts).intervalMs(50));
      await().until(scenario::counts, Map.of(EventStatus.DONE, 23, EventStatus.DEAD, 1)::equals);
      assertThat(scenario.status(deadly.eventId())).isEqualTo(EventStatus.DEAD);
      assertThat(scenario.deliveries.has(deadly.eventId())).isFalse();
    }
  }

  private static EventEnvelope ofKey(String type, String key) {
    return EventEnvelope.builder(type).orderingKey(key).payloadJson("{}").build();
  }
}
