package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.EventEnvelope;
import io.outbox.jdbc.DataSourceConnectionProvider;
import io.outbox.jdbc.OutboxSchema;
import io.outbox.jdbc.archive.ArchivingPurger;
import io.outbox.jdbc.archive.EventArchive;
import io.outbox.jdbc.store.JdbcOutboxStores;
import io.outbox.model.EventRef;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.DeliveryPause;
import io.outbox.spi.CopyCounts;
import io.outbox.spi.CopyCounts.OfType;
import io.outbox.spi.OutboxStore;
import io.outbox.spi.Outcome;
import io.outbox.subscription.EventCopy;
import io.outbox.subscription.Subscription;
import io.outbox.testbrowser.Browser;
import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The pictures of subscriptions and of the archive: a shop whose partner's webhook fails. */
class HistoryScreenshotsTest {

  private static final EventRoute PLACED = new EventRoute("Order", "OrderPlaced");
  private static final String EVENT = "01JQ8Z4N7M3T5V0W9X2Y1R6K00";

  private final FakeOutbox fake = new FakeOutbox();
  private final Instant now = Instant.now();
  private final Database database = TestDatabase.H2.fresh();
  private Browser browser;
  private Pictures pictures;
  private OutboxConsole console;

  @BeforeEach
  void open() throws SQLException {
    browser = Browser.shared();
    pictures = new Pictures(browser);
    subscriptions();
    console =
        OutboxConsole.builder()
            .operator("orders", fake.operator())
            .archive("orders", archive())
            .operator("invoices", new FakeOutbox().operator())
            .port(0)
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
    database.close();
  }

  @Test
  void thePagesAreWorthShowing() throws IOException {
    for (String theme : List.of("dark", "light")) {
      browser.prefers(theme);
      String suffix = theme.equals("dark") ? "-dark" : "";
      browser.size(1280, 560);
      see("orders/subscriptions", ".sub-row", "console-subscriptions" + suffix);
      browser.size(1280, 760);
      see("orders/event?id=" + EVENT, ".copies", "console-copies" + suffix);
      see("orders/archive?type=OrderPlaced", ".event-row", "console-archive" + suffix);
      see("invoices/archive", ".steps", "console-no-archive" + suffix);
    }
    for (String kept : List.of("console-subscriptions", "console-copies", "console-archive")) {
      pictures.keep(kept);
    }
    browser.size(390, 844);
    see("orders/subscriptions", ".sub-row", "console-phone-subscriptions");
    see("orders/event?id=" + EVENT, ".copies", "console-phone-copies");
    see("orders/archive", ".event-row", "console-phone-archive");
    see("invoices/archive", ".steps", "console-phone-no-archive");
    browser.click(".nav-item", "Delivery");
    browser.click(".button.primary", "Pause delivery");
    pictures.look("console-phone-pause");
    assertThat(browser.complaints()).isEmpty();
  }

  private void see(String page, String css, String name) throws IOException {
    browser.visit(console.url() + "#/" + page);
    browser.see(css);
    pictures.assertIsTidy();
    pictures.look(name);
  }

  private void subscriptions() {
    List<Subscription> all = fake.subscriptions.all;
    for (String name : List.of("kafka", "send-mail", "webhook")) {
      all.add(new Subscription(PLACED, name, now.minus(Duration.ofDays(41)), null));
    }
    all.add(
        new Subscription(
            PLACED,
            "loyalty-points",
            now.minus(Duration.ofDays(90)),
            now.minus(Duration.ofDays(3))));
    EventRoute shipped = new EventRoute("Order", "OrderShipped");
    all.add(new Subscription(shipped, "send-mail", now.minus(Duration.ofDays(12)), null));
    fake.pauses.add(
        new DeliveryPause(
            "Order@@send-mail",
            "OrderShipped",
            "ann",
            now.minus(Duration.ofMinutes(12)),
            "the mail server moves"));
    fake.subscriptions.counts =
        new CopyCounts(
            List.of(
                count("Order@@kafka", "OrderPlaced", EventStatus.NEW, 3, 1),
                count("Order@@webhook", "OrderPlaced", EventStatus.NEW, 120, 190),
                count("Order@@webhook", "OrderPlaced", EventStatus.RETRY, 22, 252),
                count("Order@@webhook", "OrderPlaced", EventStatus.DEAD, 37, 0),
                count("Order@@loyalty-points", "OrderPlaced", EventStatus.DEAD, 4, 0),
                count("Order@@send-mail", "OrderShipped", EventStatus.NEW, 64, 715)),
            true,
            true);
    fake.add(row(EVENT, "OrderPlaced", "Order", EventStatus.DONE).doneAt(now.minusSeconds(1_429)));
    OutboxEvent event = fake.rows.get(EVENT);
    for (EventCopy copy : fake.operator().subscriptions().orElseThrow().copiesOf(event)) {
      String name = copy.subscription().name();
      boolean webhook = name.equals("webhook");
      if (!name.equals("loyalty-points")) {
        fake.add(
            row(
                    copy.eventId(),
                    "OrderPlaced",
                    "Order@@" + name,
                    webhook ? EventStatus.RETRY : EventStatus.DONE)
                .attempts(webhook ? 4 : 0));
      }
    }
  }

  private OfType count(String copies, String type, EventStatus status, long n, long seconds) {
    return new OfType(copies, type, status, n, seconds == 0 ? null : now.minusSeconds(seconds));
  }

  private OutboxEvent.Builder row(String id, String type, String aggregate, EventStatus status) {
    return fake.row(id, type, status)
        .aggregate(aggregate, "A-2071")
        .createdAt(now.minusSeconds(1_430))
        .availableAt(now.minusSeconds(1_430))
        .payloadJson("{\"orderId\":\"A-2071\",\"cents\":12990,\"express\":true}");
  }

  /** Orders of the last weeks. */
  private EventArchive archive() throws SQLException {
    DataSource dataSource = database.pooled(2);
    OutboxSchema.create(dataSource);
    OutboxSchema.createArchive(dataSource, "outbox_event");
    OutboxStore store = JdbcOutboxStores.detect(dataSource);
    List<Outcome> outcomes = new ArrayList<>();
    try (Connection conn = dataSource.getConnection()) {
      for (int i = 0; i < 40; i++) {
        Instant at = now.minus(Duration.ofDays(30)).minus(Duration.ofMinutes(37L * i));
        String id = "01JPA7K2M8Q4T1V0W9X2Y1R5" + (10 + i);
        store.insertNew(
            conn,
            EventEnvelope.builder(i % 3 == 2 ? "OrderShipped" : "OrderPlaced")
                .eventId(id)
                .occurredAt(at)
                .aggregateType("Order")
                .aggregateId("A-" + (1980 - i))
                .payloadJson("{\"orderId\":\"A-" + (1980 - i) + "\"}")
                .build());
        boolean dead = i % 9 == 4;
        outcomes.add(
            new Outcome(
                EventRef.any(id),
                dead ? EventStatus.DEAD : EventStatus.DONE,
                dead ? 10 : 0,
                at.plusSeconds(dead ? 4_000 : 1),
                dead ? "com.example.stock.OutOfStockException: SKU-4711 in BER-2" : null));
      }
      store.recordOutcomes(conn, outcomes);
      ArchivingPurger.toTable("outbox_event").purge(conn, now.plusSeconds(60), 1_000);
    }
    return EventArchive.ofTable(new DataSourceConnectionProvider(dataSource), store);
  }
}
