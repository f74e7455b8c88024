package io.outbox.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.outbox.EventEnvelope;
import io.outbox.UnrecoverableException;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DestinationTest {

  private static final EventEnvelope EVENT =
      EventEnvelope.builder("OrderPlaced")
          .aggregateType("Order")
          .aggregateId("o-1")
          .tenantId("acme")
          .partitionKey("p-1")
          .header("region", "eu")
          .payloadJson("{}")
          .build();

  @ParameterizedTest
  @CsvSource({
    "orders, orders",
    "orders.{aggregateType}, orders.Order",
    "{tenantId}/{eventType}/{aggregateId}, acme/OrderPlaced/o-1",
    "{header.region}-{partitionKey}, eu-p-1"
  })
  void aTemplateHasTheValuesOfTheEvent(String template, String destination) {
    assertThat(Destination.template(template).of(EVENT)).isEqualTo(destination);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "{", "}", "a{eventType", "a}b", "{}", "{unknown}", "{header.}"})
  void aTemplateThatIsNoneIsRefused(String template) {
    assertThatThrownBy(() -> Destination.template(template))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{aggregateId}", "{tenantId}", "{partitionKey}", "{header.region}"})
  void anEventWithoutAValueItNeedsHasNoDestination(String template) {
    EventEnvelope event = EventEnvelope.ofJson("OrderPlaced", "{}");
    assertThatThrownBy(() -> Destination.template("to." + template).of(event))
        .isInstanceOf(UnrecoverableException.class)
        .hasMessageContaining(event.eventId())
        .hasMessageContaining("to." + template);
  }

  @Test
  void onlyTheValuesOfTheEventAreEncoded() {
    Destination destination =
        Destination.template("Orders-{eventType}", value -> value.toUpperCase(Locale.ROOT));
    assertThat(destination.of(EVENT)).isEqualTo("Orders-ORDERPLACED");
  }
}
