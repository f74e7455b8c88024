package io.outbox.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.Outbox;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.EventSummary;
import io.outbox.operate.ListenerOutage;
import io.outbox.operate.OutboxOperator;
import io.outbox.operate.WaitReason;
import io.outbox.operate.WaitReason.Kind;
import io.outbox.operate.WaitReasons;
import io.outbox.testdb.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** R24: why an event waits can be seen wherever it can be seen that it waits. */
@Timeout(300)
class OutageShownTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A listener whose broker comes and goes. */
  private static final class Broker implements EventListener {
    volatile boolean down = true;

    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      if (down) {
        throw new OutageException("no broker");
      }
      return DispatchResult.done();
    }
  }

  private static Outbox start(Scenario scenario, String mode) {
    return scenario.start(
        switch (mode) {
          case "singleNode" -> scenario.singleNode();
          case "ordered" -> scenario.ordered();
          case "multiNode" -> scenario.multiNode(Duration.ofMinutes(1));
          default -> scenario.orderedByKey();
        });
  }

  private static List<WaitReason> reasons(OutboxOperator operator) {
    return reasons(operator, operator.search(EventFilter.builder().build(), null, 100).events());
  }

  private static List<WaitReason> reasons(OutboxOperator operator, List<EventSummary> events) {
    WaitReasons reasons = operator.waitReasons(events);
    return events.stream().flatMap(event -> reasons.of(event).stream()).toList();
  }

  @ParameterizedTest
  @CsvSource({
    "H2, singleNode",
    "H2, multiNode",
    "H2, orderedByKey",
    "POSTGRES, multiNode",
    "MARIADB, orderedByKey"
  })
  void R24_eventsSayThatTheirListenerIsDownUntilItAnswers(TestDatabase kind, String mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      Broker broker = new Broker();
      scenario.registry.register("Sent", broker);
      Outbox outbox = start(scenario, mode);
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      scenario.write(
          outbox.writer(),
          Stream.generate(() -> EventEnvelope.ofJson("Sent", "{}")).limit(20).toList());

      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(operator.overview().outages())
                    .singleElement()
                    .satisfies(OutageShownTest::isOfTheBroker);
                assertThat(reasons(operator))
                    .hasSize(20)
                    .extracting(WaitReason::kind)
                    .contains(Kind.OUTAGE)
                    .isSubsetOf(Kind.OUTAGE, Kind.LEASED);
              });

      broker.down = false;
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () -> {
                assertThat(scenario.count(EventStatus.DONE)).isEqualTo(20);
                assertThat(operator.overview().outages()).isEmpty();
              });
    }
  }

  @ParameterizedTest
  @CsvSource({
    "H2, orderedByKey",
    "H2, ordered",
    "POSTGRES, orderedByKey",
    "POSTGRES, ordered",
    "MARIADB, orderedByKey",
    "MARIADB, ordered"
  })
  void R24_whatWaitsBehindAnotherEventSaysWhatThatWaitsFor(TestDatabase kind, String mode) {
    try (Scenario scenario = Scenario.orderedByKeyOn(kind)) {
      scenario.registry.register("Order", "Paused", event -> DispatchResult.done());
      scenario.registry.register("Order", "Behind", event -> DispatchResult.done());
      OutboxOperator operator = OutboxOperator.of(scenario.connections, scenario.store);
      operator.pause("Order", "Paused", "a test");
      Outbox outbox = start(scenario, mode);
      scenario.write(outbox.writer(), List.of(order("Paused"), order("Behind"), order("Behind")));

      List<EventSummary> events =
          operator.search(EventFilter.builder().build(), null, 100).events();
      String front = events.get(2).eventId();
      await()
          .atMost(PATIENCE)
          .untilAsserted(
              () ->
                  assertThat(reasons(operator, events))
                      .extracting(WaitReason::kind)
                      .containsExactly(Kind.BEHIND, Kind.BEHIND, Kind.PAUSED));
      assertThat(operator.waitReasons(events).of(events.get(0)).orElseThrow().what())
          .startsWith("event " + front + " in front of it, which waits for the end of a pause by");

      operator.resume("Order", "Paused");
      await().atMost(PATIENCE).until(() -> scenario.count(EventStatus.DONE) == 3);
    }
  }

  private static EventEnvelope order(String type) {
    return EventEnvelope.builder(type)
        .aggregateType("Order")
        .aggregateId("17")
        .payloadJson("{}")
        .build();
  }

  private static void isOfTheBroker(ListenerOutage outage) {
    assertThat(outage.listener()).isEqualTo("OutageShownTest$Broker");
    assertThat(outage.state()).isIn("OPEN", "HALF_OPEN");
    assertThat(outage.reason()).isEqualTo("no broker");
    assertThat(outage.nodes()).hasSize(1);
    assertThat(outage.nextTrial()).isNotNull();
  }
}
