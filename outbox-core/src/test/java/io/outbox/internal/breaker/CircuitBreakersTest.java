package io.outbox.internal.breaker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.outbox.DispatchResult;
import io.outbox.EventEnvelope;
import io.outbox.EventListener;
import io.outbox.OutageException;
import io.outbox.model.EventRoute;
import io.outbox.publish.Addressed;
import io.outbox.spi.MemberDetail.Outage;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CircuitBreakersTest {

  private static final EventEnvelope SINGLE = EventEnvelope.ofJson("Single", "1");
  private static final EventEnvelope SHARED = EventEnvelope.ofJson("Shared", "1");

  @Test
  void onlyRoutesOfOneListenerAreNotWorthFetchingWhileItIsDown() {
    CircuitBreakers breakers =
        new CircuitBreakers(
            route -> route.eventType().equals("Single"), 10, 1_000_000, changed -> {});
    EventListener down = event -> null;
    breakers.of(down).failed(SINGLE, false, new OutageException("down"));
    breakers.of(down).letsThrough(SHARED);

    assertThat(breakers.heldBackRoutes()).containsExactly(EventRoute.of(SINGLE));
    assertThat(breakers.isOpenFor(SINGLE)).isTrue();
    assertThat(breakers.isOpenFor(SHARED)).isFalse();
  }

  @Test
  void R24_openBreakersSayWhyAndSinceWhenAndAClosedOneSaysNothing() {
    CircuitBreakers breakers = new CircuitBreakers(route -> true, 10, 1_000_000, changed -> {});
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    EventListener down = event -> null;
    breakers.of(event -> null).answered(SINGLE);
    assertThat(breakers.outages(now)).isEmpty();

    breakers
        .of(down)
        .failed(SINGLE, false, new OutageException("no broker", new IOException("refused")));
    assertThat(breakers.outages(now))
        .singleElement()
        .satisfies(
            outage -> {
              assertThat(outage.listener()).isEqualTo("CircuitBreakersTest for Single");
              assertThat(outage.state()).isEqualTo(Outage.OPEN);
              assertThat(outage.reason()).isEqualTo("no broker: refused");
              assertThat(outage.since()).isBeforeOrEqualTo(now);
              assertThat(outage.nextTrial()).isAfterOrEqualTo(now);
              assertThat(outage.routes()).containsExactly(EventRoute.of(SINGLE));
            });

    breakers.of(down).answered(SINGLE);
    assertThat(breakers.outages(now)).isEmpty();
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
    CircuitBreakers breakers = new CircuitBreakers(route -> true, 10, 1_000_000, changed -> {});
    Instant now = Instant.parse("2026-01-01T00:00:00Z");
    Publisher publisher = new Publisher();
    breakers
        .of(publisher)
        .failed(SINGLE, false, OutageException.ofDestination("topic Single", "missing", null));
    breakers.of(publisher).letsThrough(SINGLE);
    EventListener down = event -> null;
    breakers.of(down).failed(SHARED, false, new OutageException("down"));

    assertThat(breakers.outages(now))
        .extracting(Outage::listener, Outage::destination, Outage::reason, Outage::routes)
        .containsExactly(
            tuple("CircuitBreakersTest for Shared", null, "down", List.of(EventRoute.of(SHARED))),
            tuple(
                "CircuitBreakersTest$Publisher",
                "topic Single",
                "missing",
                List.of(EventRoute.of(SINGLE))));

    breakers.of(publisher).answered(SINGLE);
    assertThat(breakers.outages(now)).extracting(Outage::reason).containsExactly("down");
  }
}
