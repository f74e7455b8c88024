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
          case "multiNode" -> scenario.multiNode(Duration.ofMinutes(1));
          default -> scenario.orderedByKey();
        });
  }

  private static List<WaitReason> reasons(OutboxOperator operator) {
    WaitReasons reasons = operator.waitReasons();
    List<EventSummary> events = operator.search(EventFilter.builder().build(), null, 100).events();
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

  private static void isOfTheBroker(ListenerOutage outage) {
    assertThat(outage.listener()).isEqualTo("OutageShownTest$Broker");
    assertThat(outage.reason()).isEqualTo("no broker");
    assertThat(outage.nodes()).hasSize(1);
    assertThat(outage.nextTrial()).isNotNull();
  }
}
