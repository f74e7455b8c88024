package io.outbox.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.model.EventRoute;
import io.outbox.model.MemberDetail.Outage;
import io.outbox.publish.Addressed;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
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

  @Test
  void R24_closedGatesSayWhyAndSinceWhenAndAnOpenOneSaysNothing() {
    ListenerGates gates = new ListenerGates(route -> true, 10, 1_000_000, changed -> {});
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    EventListener down = event -> null;
    gates.of(event -> null).answered(SINGLE);
    assertThat(gates.outages(now)).isEmpty();

    gates
        .of(down)
        .failed(SINGLE, false, new OutageException("no broker", new IOException("refused")));
    assertThat(gates.outages(now))
        .singleElement()
        .satisfies(
            outage -> {
              assertThat(outage.listener()).isEqualTo("ListenerGatesTest for Single");
              assertThat(outage.state()).isEqualTo(Outage.OPEN);
              assertThat(outage.reason()).isEqualTo("no broker: refused");
              assertThat(outage.since()).isBeforeOrEqualTo(now);
              assertThat(outage.nextTrial()).isAfterOrEqualTo(now);
              assertThat(outage.routes()).containsExactly(EventRoute.of(SINGLE));
            });

    gates.of(down).answered(SINGLE);
    assertThat(gates.outages(now)).isEmpty();
  }

  /** The type of an event is its destination. */
  private static final class Publisher implements EventListener, Addressed {
    @Override
    public DispatchResult onEvent(EventEnvelope event) {
      return DispatchResult.done();
    }

    @Override
    public String destinationOf(EventEnvelope event) {
      return "topic " + event.eventType();
    }
  }

  @Test
  void R24_missingDestinationsAreToldBehindListenersThatAreDown() {
    ListenerGates gates = new ListenerGates(route -> true, 10, 1_000_000, changed -> {});
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Publisher publisher = new Publisher();
    gates
        .of(publisher)
        .failed(SINGLE, false, OutageException.ofDestination("topic Single", "missing", null));
    gates.of(publisher).letsThrough(SINGLE);
    EventListener down = event -> null;
    gates.of(down).failed(SHARED, false, new OutageException("down"));

    assertThat(gates.outages(now))
        .extracting(Outage::listener, Outage::destination, Outage::reason, Outage::routes)
        .containsExactly(
            tuple("ListenerGatesTest for Shared", null, "down", List.of(EventRoute.of(SHARED))),
            tuple(
                "ListenerGatesTest$Publisher",
                "topic Single",
                "missing",
                List.of(EventRoute.of(SINGLE))));

    gates.of(publisher).answered(SINGLE);
    assertThat(gates.outages(now)).extracting(Outage::reason).containsExactly("down");
  }
}
