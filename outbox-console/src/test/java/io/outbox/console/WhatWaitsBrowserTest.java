package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.operate.Count;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.Overview;
import io.outbox.spi.Member;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import io.outbox.testbrowser.Browser;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the pages say of events that wait, and of those that wait for nobody. */
class WhatWaitsBrowserTest {

  private static final String REFUSED = "Connection refused: kafka.example.org:9092";

  private final FakeOutbox fake = new FakeOutbox();
  private Browser browser;
  private OutboxConsole console;

  @BeforeEach
  void start() {
    browser = Browser.shared();
    // pages show what there is at once, and do not change while a slow browser reads them
    console =
        OutboxConsole.builder()
            .operator("orders", fake.operator())
            .port(0)
            .refreshInterval(Duration.ofMinutes(10))
            .build()
            .start();
  }

  @AfterEach
  void stop() {
    if (console != null) {
      browser.visit("about:blank");
      console.close();
    }
  }

  private void visit(String page) {
    browser.visit(console.url() + "#/orders/" + page);
  }

  /** Twelve events, of which the oldest has been due for this long. */
  private void backlog(Duration lag, List<Member> members) {
    Instant now = Instant.now();
    fake.story =
        ignored ->
            new Overview(
                now,
                Map.of(EventStatus.NEW, Count.exactly(12)),
                Map.of(LifecycleState.PENDING, Count.exactly(12)),
                now.minus(lag),
                null,
                Count.exactly(0),
                Count.exactly(0),
                List.of(),
                0,
                List.of(),
                members);
  }

  private void kafkaIsDown() {
    fake.outages.add(
        new Outage(
            "KafkaPublisher",
            null,
            Outage.OPEN,
            REFUSED,
            Instant.now().minusSeconds(12_600),
            Instant.now().plusSeconds(3_000),
            List.of(new EventRoute("Order", "OrderPlaced"))));
  }

  @Test
  void aDueBacklogThatNoNodeDeliversIsNotWell() {
    backlog(Duration.ofSeconds(30), List.of());
    visit("overview");

    browser.see(".verdict[data-state=warn]", "events are due, and no node is known that delivers");
  }

  @Test
  void aNodeThatWaitsForAnotherModeDeliversNothing() {
    Member waits =
        new Member(
            "node-1",
            "MULTI_NODE",
            false,
            Instant.now(),
            Instant.now(),
            Instant.now().plusSeconds(15),
            null);
    backlog(Duration.ofSeconds(30), List.of(waits));
    visit("overview");

    browser.see(".verdict[data-state=warn]", "no node is known that delivers");
    browser.see(".verdict", "1 node waiting for another mode to end");
  }

  @Test
  void aDueBacklogThatIsDeliveredIsWellAndSaysForHowLongItHasBeenDue() {
    backlog(Duration.ofSeconds(30), fake.members(null));
    visit("overview");

    browser.see(
        ".verdict[data-state=good]",
        "Nothing is dead, stuck or blocked; the oldest event has been due for 30 s.");
  }

  @Test
  void aBacklogThatIsLateNeedsAttention() {
    backlog(Duration.ofMinutes(3), fake.members(null));
    visit("overview");

    browser.see(".verdict[data-state=warn]", "events undelivered for 3 min");
  }

  @Test
  void anOutageSaysOnWhichNodesItIsAndWhenItIsTriedNext() {
    fake.nodes = List.of("shop-1", "shop-2", "shop-3", "shop-4", "shop-5");
    kafkaIsDown();
    visit("overview");

    browser.see(".verdict", "listener KafkaPublisher is down");
    browser.see(".outage .row-main", "KafkaPublisher");
    browser.see(".outage .row-more", REFUSED);
    browser.see(".outage .row-side", "3 h ago");
    browser.see(
        ".outage .row-more",
        "circuit breaker open on shop-1, shop-2, shop-3 and 2 more · next trial in ");
  }

  @Test
  void aTypeWithoutAListenerNamesTheOneItMayHaveBeenMeantFor() {
    fake.missingListeners.add(
        new MissingListener(
            new EventRoute("Order", "OrderPlaced"), Instant.now(), true, "one without aggregate"));
    visit("overview");

    browser.see(".missing .row-main", "Order/OrderPlaced");
    browser.see(".missing .row-more", "one without aggregate");
  }

  /** The old error alone would send somebody after a problem that is over. */
  @Test
  void anEventThatFailedAndWaitsShowsItsErrorAndWhatItWaitsFor() {
    kafkaIsDown();
    fake.add(
        fake.row("e1", "OrderPlaced", EventStatus.RETRY)
            .aggregate("Order", "17")
            .attempts(1)
            .lastError("the warehouse is closed")
            .payloadJson("{}"));
    visit("events");

    browser.see(".event-row .error-line", "the warehouse is closed");
    browser.see(".event-row .waits-line", "waits for listener KafkaPublisher, which is down");
  }

  @Test
  void aStateIsOneOfFourWithTheStatusBesideIt() {
    fake.add(fake.row("e1", "OrderPlaced", EventStatus.RETRY).attempts(1).payloadJson("{}"));
    visit("events");

    assertThat(browser.see(".event-row .cell-state").getText().split("\\s+"))
        .containsExactly("Pending", "RETRY");
    visit("event?id=e1");
    assertThat(browser.see(".event-name-line").getText()).contains("Pending", "RETRY");
  }

  @Test
  void aPhoneShowsTheZoneAndTheExactTimeOfWhatIsTapped() {
    fake.add(fake.row("e1", "OrderPlaced", EventStatus.NEW).payloadJson("{}"));
    browser.size(390, 844);
    for (String page : List.of("overview", "events", "event?id=e1", "activity", "delivery")) {
      visit(page);
      assertThat(browser.see(".zone-small").getText()).as(page).isNotBlank();
    }
    String zone = browser.see(".zone-small").getText();

    visit("events");
    browser.click(".cell-time time");

    assertThat(browser.see(".toast").getText()).contains(":").endsWith(zone);
    assertThat(browser.address()).endsWith("#/orders/events");
  }
}
