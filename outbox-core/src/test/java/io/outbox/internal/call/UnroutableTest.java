package io.outbox.internal.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.registry.DefaultListenerRegistry;
import org.junit.jupiter.api.Test;

class UnroutableTest {

  private final DefaultListenerRegistry registry = new DefaultListenerRegistry();

  @Test
  void namesTheListenerWithoutAggregateTypeThatWasProbablyMeant() {
    registry.register("OrderPlaced", event -> DispatchResult.done());

    assertThat(messageFor("Order", "OrderPlaced"))
        .isEqualTo(
            "no listener is registered for event type 'OrderPlaced' with aggregate type 'Order'."
                + " There is one for this event type without aggregate type: give both the same"
                + " aggregate type, and replay the event.");
  }

  @Test
  void namesTheAggregateTypesThatHaveAListenerForTheEventType() {
    registry.register("Order", "Placed", event -> DispatchResult.done());
    registry.register("Bid", "Placed", event -> DispatchResult.done());
    registry.register("Bid", "Lost", event -> DispatchResult.done());
    registry.registerDefault("Offer", event -> DispatchResult.done());

    assertThat(messageFor(null, "Placed"))
        .contains(
            "'Placed' without aggregate type.",
            "There is one for this event type with aggregate type 'Bid'"
                + " and one with aggregate type 'Order': ");
  }

  @Test
  void saysToRegisterAListenerWhereNoneIsNear() {
    registry.register("Order", "Paid", event -> DispatchResult.done());

    assertThat(messageFor("Order", "Placed"))
        .endsWith("'Order'. Register one, or a default listener, and replay the event.");
  }

  private String messageFor(String aggregateType, String eventType) {
    EventEnvelope.Builder event = EventEnvelope.builder(eventType).payloadJson("{}");
    if (aggregateType != null) {
      event.aggregateType(aggregateType);
    }
    return Unroutable.noListenerFor(event.build(), registry).getMessage();
  }
}
