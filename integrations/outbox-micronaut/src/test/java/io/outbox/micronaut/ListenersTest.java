package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micronaut.core.type.Argument;
import io.micronaut.transaction.TransactionOperations;
import io.outbox.EventEnvelope;
import io.outbox.OutboxWriter;
import io.outbox.micronaut.listeners.Heard;
import io.outbox.micronaut.listeners.Kinds.Order;
import io.outbox.model.EventStatus;
import io.outbox.operate.EventFilter;
import io.outbox.operate.OutboxOperator;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.wiring.OutboxConfigurationException;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Methods and beans with {@code @OutboxListener}. */
class ListenersTest {

  private static final Duration SOON = Duration.ofSeconds(60);
  private static final String JSON = "{\"id\": \"A-1\", \"quantity\": 2}";

  private TestApp app;

  @BeforeEach
  void clear() {
    TestApp.clear(TestDatabase.H2);
  }

  @AfterEach
  void close() {
    if (app != null) {
      app.close();
    }
  }

  @Test
  void aListenerGetsWhatItAsksFor() {
    app = TestApp.start(TestDatabase.H2, "kinds", Map.of("outbox.retry.base-delay-ms", 1));
    write(
        EventEnvelope.ofJson("Object", JSON),
        ofOrder("Both"),
        EventEnvelope.ofJson("Text", JSON),
        EventEnvelope.ofJson("Map", JSON),
        EventEnvelope.builder("Bytes").payloadBytes(new byte[3], "application/x").build(),
        EventEnvelope.ofJson("Later", JSON),
        EventEnvelope.ofJson("InTransaction", JSON),
        EventEnvelope.ofJson("OnClass", JSON),
        EventEnvelope.ofJson("Replaced", JSON),
        ofOrder("Bound"));

    Order order = new Order("A-1", 2);
    assertHeard("Object", order);
    assertHeard("Both", "A-1 " + order);
    assertHeard("Text", JSON);
    assertHeard("Map", "A-1");
    assertHeard("Bytes", 3);
    assertHeard("Later", order);
    assertHeard("InTransaction", true);
    assertHeard("OnClass", JSON);
    assertHeard("Replaced", JSON);
    assertHeard("Bound", "A-1");
  }

  @Test
  void aListenerThatThrowsIsCalledAgain() {
    app = TestApp.start(TestDatabase.H2, "kinds", Map.of("outbox.retry.base-delay-ms", 1));
    EventEnvelope event = EventEnvelope.ofJson("Failing", JSON);
    write(event);

    assertHeard("Failing", event.eventId(), event.eventId());
  }

  @Test
  void subscriptionsGetTheEventEachUnderItsOwnPolicy() {
    app =
        TestApp.start(
            TestDatabase.H2,
            "kinds",
            Map.of(
                "outbox.retry.base-delay-ms",
                1,
                "outbox.listeners.@@mail/Copied.retry-never",
                "java.io.IOException,java.lang.IllegalStateException"));
    EventEnvelope event = EventEnvelope.ofJson("Copied", JSON);
    write(event);

    assertHeard("count", event.eventId());
    EventFilter dead =
        EventFilter.builder().status(EventStatus.DEAD).aggregateType("@@mail").build();
    OutboxOperator operator = app.get(OutboxOperator.class);
    Await.until(
        "the copy is DEAD", SOON, () -> operator.search(dead, null, 2).events().size() == 1);
    assertHeard("mail", event.eventId());
  }

  @Test
  void aPolicyForNoListenerKeepsTheApplicationFromStarting() {
    assertThatThrownBy(
            () ->
                TestApp.start(
                        TestDatabase.H2, "kinds", Map.of("outbox.listeners.Lost.concurrency", 2))
                    .close())
        .hasStackTraceContaining("outbox.listeners.Lost are for no listener");
  }

  @Test
  void whatCannotBeAListenerKeepsTheApplicationFromStarting() {
    assertRefused("wrong-parameter", "method list of bean", "java.util.List<");
    assertRefused("wrong-second", "two listeners for event type 'Wrong'", "method one", "two");
    assertRefused("wrong-class", "does not implement io.outbox.EventListener");
  }

  private static void assertRefused(String spec, String... words) {
    assertThatThrownBy(() -> TestApp.start(TestDatabase.H2, spec, Map.of()).close())
        .hasStackTraceContaining(OutboxConfigurationException.class.getName())
        .satisfies(
            thrown -> {
              for (String word : words) {
                assertThat(thrown).hasStackTraceContaining(word);
              }
            });
  }

  private static EventEnvelope ofOrder(String type) {
    return EventEnvelope.builder(type)
        .aggregateType("Order")
        .aggregateId("A-1")
        .payloadJson(JSON)
        .build();
  }

  private void write(EventEnvelope... events) {
    TransactionOperations<?> transactions =
        app.context().getBean(Argument.of(TransactionOperations.class, Connection.class));
    transactions.executeWrite(status -> app.get(OutboxWriter.class).writeAll(List.of(events)));
  }

  private void assertHeard(String type, Object... values) {
    Heard heard = app.get(Heard.class);
    Await.until(
        () -> type + ", so far " + heard.of(type),
        SOON,
        () -> heard.of(type).size() >= values.length);
    assertThat(heard.of(type)).containsExactly(values);
  }
}
