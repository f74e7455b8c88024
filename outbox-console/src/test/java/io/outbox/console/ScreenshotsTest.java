package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.Lease;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.Count;
import io.outbox.operate.DeliveryPause;
import io.outbox.operate.ErrorGroup;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.Overview;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import io.outbox.testbrowser.Browser;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The pictures of docs/console.md: a shop whose payment provider was away for a while, and which
 * now misses a topic and, in the middle of a deployment, a listener.
 */
class ScreenshotsTest {

  private static final String INVOICE = "01JQ8Z4N7M3T5V0W9X2Y1R7B42";
  private static final String REFUSED =
      "java.net.ConnectException: Connection refused: payments.example.org/203.0.113.7:443";
  private static final String[] ERRORS = {
    REFUSED,
    "com.example.mail.RecipientRejectedException: 550 5.1.1 no such mailbox",
    "java.net.http.HttpTimeoutException: request timed out after 10 s",
    "com.example.stock.OutOfStockException: SKU-4711 in warehouse BER-2",
  };
  private static final int STEPS = 60;
  private static final Duration STEP = Duration.ofSeconds(30);

  private final FakeOutbox fake = new FakeOutbox();
  private final AtomicInteger step = new AtomicInteger();
  private final Random random = new Random(7);
  private final Instant now = Instant.now();
  private Browser browser;
  private Pictures pictures;
  private OutboxConsole console;

  @BeforeEach
  void open() {
    browser = Browser.shared();
    pictures = new Pictures(browser);
    fake.nodes = List.of("shop-1-9e0a", "shop-2-4f1c");
    fillTable();
    fake.story = ignored -> overview(Math.min(STEPS, step.getAndIncrement()));
    console =
        OutboxConsole.builder()
            .operator("orders", fake.operator())
            .port(0)
            .refreshInterval(Duration.ofMillis(200))
            .environment("production", "red")
            .build()
            .start();
  }

  @AfterEach
  void close() {
    if (console != null) {
      browser.visit("about:blank");
      console.close();
    }
  }

  @Test
  void thePagesAreWorthShowing() throws IOException {
    somethingIsMissing();
    browser.visit(console.url() + "#/orders/overview");
    Awaitility.await().atMost(Duration.ofMinutes(2)).until(() -> step.get() > STEPS);
    seeOnADesktop();
    seeOnAPhone();
    assertThat(browser.complaints()).isEmpty();
  }

  private void seeOnADesktop() throws IOException {
    browser.size(1280, 1080);
    seeOverview();
    pictures.picture("console-overview");
    browser.prefers("dark");
    pictures.picture("console-overview-dark");
    browser.size(1280, 860);
    for (String theme : List.of("dark", "light")) {
      browser.prefers(theme);
      String suffix = theme.equals("dark") ? "-dark" : "";
      seeEvents();
      pictures.look("console-events" + suffix);
      seeDead();
      pictures.look("console-event" + suffix);
      seeWaiting();
      pictures.look("console-waiting" + suffix);
    }
    browser.visit(console.url() + "#/orders/events?state=DEAD&error=Connection+refused");
    browser.click("[data-bulk]");
    browser.click(".menu-item", "Replay");
    browser.see(".dry-run-count");
    pictures.picture("console-replay");
    for (String kept : List.of("console-events", "console-event", "console-waiting")) {
      pictures.keep(kept);
    }
  }

  private void seeOnAPhone() throws IOException {
    browser.size(390, 844);
    browser.visit(console.url() + "#/orders/overview");
    seeOverview();
    pictures.picture("console-phone");
    browser.script("document.querySelector('.watch').scrollIntoView()");
    pictures.look("console-phone-outages");
    seeEvents();
    pictures.picture("console-phone-events");
    seeDead();
    pictures.look("console-phone-event");
    browser.prefers("dark");
    seeWaiting();
    pictures.look("console-phone-waiting-dark");
  }

  private void seeOverview() {
    shows(".tile[data-state=DEAD] .tile-value", "37");
    shows(".errors", "Connection refused");
    shows(".place-name", "postgresql://db.example.org:5432/shop");
    shows(".outage", "next trial");
    shows(".rows", "OrderGiftWrapped");
    shows(".rows", "shop-2-4f1c");
    pictures.assertIsTidy();
  }

  /** In one question: what is shown changes all the time. */
  private void shows(String css, String text) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                browser.script(
                    "return [...document.querySelectorAll(arguments[0])]"
                        + ".some((each) => each.textContent.includes(arguments[1]))",
                    css,
                    text),
            Boolean.TRUE::equals);
  }

  private void seeEvents() {
    browser.visit(console.url() + "#/orders/events?status=RETRY%2CDEAD");
    browser.see(".event-link");
    browser.see(".waits-line", "waits for listener KafkaPublisher (invoices)");
    pictures.assertIsTidy();
  }

  private void seeDead() {
    browser.visit(console.url() + "#/orders/event?id=01JQ8Z4N7M3T5V0W9X2Y1R6K00");
    browser.see(".neighbors li");
    pictures.assertIsTidy();
  }

  private void seeWaiting() {
    browser.visit(console.url() + "#/orders/event?id=" + INVOICE);
    browser.see(".waits", "Waits for listener KafkaPublisher (invoices)");
    browser.see(".neighbors, .quiet");
    pictures.assertIsTidy();
  }

  private void somethingIsMissing() {
    fake.outages.add(
        new Outage(
            "KafkaPublisher",
            "invoices",
            Outage.OPEN,
            "topic invoices does not exist",
            now.minus(Duration.ofMinutes(6)),
            now.plusSeconds(170),
            List.of(new EventRoute("Invoice", "InvoiceIssued"))));
    fake.missingListeners.add(
        new MissingListener(
            new EventRoute("Order", "OrderGiftWrapped"), now.minus(Duration.ofMinutes(2))));
  }

  /** What an operator would have seen, half a minute each. */
  private Overview overview(int at) {
    boolean away = at > 26 && at < 42;
    long pending =
        Math.round(
            away
                ? 180 + (at - 26) * 61
                : at >= 42
                    ? Math.max(9 + (at - 46) * 9, 1100 - (at - 41) * 185)
                    : 9 + random.nextInt(9));
    double rate =
        away
            ? 240 + random.nextInt(60)
            : at >= 42 && at < 48
                ? 1480 + random.nextInt(90)
                : 860 + 60 * Math.sin(at / 4.0) + random.nextInt(50);
    Duration lag =
        away
            ? Duration.ofSeconds((at - 26) * 29L)
            : at >= 42 && at < 48
                ? Duration.ofSeconds(430 - (at - 41) * 70L)
                : at >= 48 ? STEP.multipliedBy(at - 48) : Duration.ZERO;
    long dead = at < 30 ? 3 : Math.min(37, 3 + (at - 29) * 3L);
    Instant time = now.minus(STEP.multipliedBy(STEPS - at));
    return new Overview(
        time,
        Map.of(
            EventStatus.NEW, Count.exactly(pending),
            EventStatus.RETRY, Count.exactly(at < 27 ? 2 : 12),
            EventStatus.DONE, Count.about(1_284_350),
            EventStatus.DEAD, Count.exactly(dead)),
        Map.of(
            LifecycleState.PENDING, Count.exactly(pending),
            LifecycleState.LEASED, Count.exactly(18 + random.nextInt(12)),
            LifecycleState.DONE, Count.about(1_284_350),
            LifecycleState.DEAD, Count.exactly(dead)),
        lag.isZero() ? null : time.minus(lag),
        new Overview.Throughput(rate, 500, Duration.ofSeconds(35)),
        Count.exactly(0),
        Count.exactly(1),
        List.of(
            new ErrorGroup(ERRORS[0], 31, "x", ERRORS[0]),
            new ErrorGroup(ERRORS[2], 11, "x", ERRORS[2]),
            new ErrorGroup(ERRORS[1], 5, "x", ERRORS[1]),
            new ErrorGroup(ERRORS[3], 2, "x", ERRORS[3])),
        49,
        List.of(
            new DeliveryPause(
                "Reminder", null, "ann", now.minus(Duration.ofMinutes(12)), "too many at once")),
        at < 48 ? List.of() : fake.members(null));
  }

  private void fillTable() {
    String[] types = {"PaymentCaptured", "OrderPlaced", "OrderShipped", "MailRequested"};
    for (int i = 0; i < 90; i++) {
      int order = 2040 + random.nextInt(30);
      EventStatus status =
          i % 3 == 0 ? EventStatus.DEAD : i % 7 == 0 ? EventStatus.RETRY : EventStatus.DONE;
      Instant written = now.minusSeconds(4_000 - i * 40L);
      OutboxEvent.Builder row =
          fake.row("01JQ8Z4N7M3T5V0W9X2Y1R5" + (100 + i), types[random.nextInt(4)], status)
              .aggregate("Order", "A-" + order)
              .createdAt(written)
              .availableAt(written);
      if (status != EventStatus.DONE) {
        row.attempts(status == EventStatus.DEAD ? 10 : 1 + random.nextInt(6))
            .lastError(ERRORS[random.nextInt(10) < 6 ? 0 : random.nextInt(4)]);
      }
      if (i == 85) {
        row.lease(new Lease("shop-2-4f1c", now.minusSeconds(2), 3));
      }
      fake.add(row);
    }
    fake.add(invoice());
    key("OrderPlaced", 0, EventStatus.DONE);
    key("StockReserved", 1, EventStatus.DONE);
    fake.add(paid());
    key("OrderShipped", 3, EventStatus.NEW);
    key("MailRequested", 4, EventStatus.NEW);
  }

  private void key(String type, int place, EventStatus status) {
    fake.add(
        fake.row("01JQ8Z4N7M3T5V0W9X2Y1R7K0" + place, type, status)
            .aggregate("Order", "A-2071")
            .createdAt(now.minusSeconds(1_500 - place * 40L)));
  }

  /** Tried once, before its topic was missing. */
  private OutboxEvent.Builder invoice() {
    return fake.row(INVOICE, "InvoiceIssued", EventStatus.RETRY)
        .aggregate("Invoice", "R-2071")
        .attempts(1)
        .createdAt(now.minusSeconds(360))
        .availableAt(now.plusSeconds(20))
        .lastError("org.apache.kafka.common.errors.TimeoutException: no answer after 30000 ms")
        .payloadJson("{\"invoice\":\"R-2071\",\"order\":\"A-2071\",\"cents\":12990}");
  }

  private OutboxEvent.Builder paid() {
    return fake.row("01JQ8Z4N7M3T5V0W9X2Y1R6K00", "PaymentCaptured", EventStatus.DEAD)
        .aggregate("Order", "A-2071")
        .tenantId("shop-berlin")
        .attempts(10)
        .createdAt(now.minusSeconds(1_430))
        .availableAt(now.minusSeconds(1_430))
        .doneAt(now.minusSeconds(490))
        .lastError(
            REFUSED
                + "\n\tat java.base/sun.nio.ch.Net.pollConnect(Native Method)"
                + "\n\tat com.example.payments.PaymentClient.capture(PaymentClient.java:88)"
                + "\n\tat com.example.payments.CaptureListener.onEvent(CaptureListener.java:31)")
        .headersJson(
            "{\"traceparent\": \"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\","
                + " \"source\": \"checkout\"}")
        .payloadJson(
            "{\"orderId\":\"A-2071\",\"amount\":{\"cents\":12990,\"currency\":\"EUR\"},"
                + "\"method\":\"card\",\"items\":[{\"sku\":\"SKU-4711\",\"quantity\":2},"
                + "{\"sku\":\"SKU-1202\",\"quantity\":1}],\"express\":true,\"note\":null}");
  }
}
