package io.outbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import org.junit.jupiter.api.Test;

class BoundEventListenerTest {

  private static class Bound extends BoundEventListener {
    Bound(String aggregateType, String eventType) {
      super(aggregateType, eventType);
    }

    Bound(AggregateType aggregateType, EventType eventType) {
      super(aggregateType, eventType);
    }

    @Override
    public DispatchResult onEvent(EventEnvelope envelope) {
      return DispatchResult.done();
    }
  }

  @Test
  void itKnowsWhatItIsFor() {
    Bound strings = new Bound("Order", "Placed");
    assertThat(strings.getAggregateType()).isEqualTo("Order");
    assertThat(strings.getEventType()).isEqualTo("Placed");

    Bound typed = new Bound(AggregateType.GLOBAL, () -> "Paid");
    assertThat(typed.getAggregateType()).isEqualTo("__GLOBAL__");
    assertThat(typed.getEventType()).isEqualTo("Paid");
  }

  @Test
  void itIsForSomething() {
    assertThatNullPointerException().isThrownBy(() -> new Bound(null, "Placed"));
    assertThatNullPointerException().isThrownBy(() -> new Bound("Order", null));
    assertThatNullPointerException().isThrownBy(() -> new Bound(null, () -> "Paid"));
    assertThatNullPointerException().isThrownBy(() -> new Bound(AggregateType.GLOBAL, null));
  }
}
