package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.model.EventRoute;
import org.junit.jupiter.api.Test;

class ListenerGatesTest {

  private static final EventEnvelope SINGLE = EventEnvelope.ofJson("Single", "1");
  private static final EventEnvelope SHARED = EventEnvelope.ofJson("Shared", "1");

  @Test
  void onlyRoutesOfOneListenerAreNotWorthFetchingWhileItIsDown() {
    ListenerGates gates =
        new ListenerGates(
            route -> route.eventType().equals("Single"), 10, 1_000_000, changed -> {});
    EventListener down = event -> null;
    gates.of(down).failed(SINGLE, false, new OutageException("down"));
    gates.of(down).letsThrough(SHARED);

    assertThat(gates.closedRoutes()).containsExactly(EventRoute.of(SINGLE));
    assertThat(gates.isClosedFor(SINGLE)).isTrue();
    assertThat(gates.isClosedFor(SHARED)).isFalse();
  }
}
