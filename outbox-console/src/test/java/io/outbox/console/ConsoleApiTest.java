package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.JsonObject;
import io.outbox.model.EventRoute;
import io.outbox.model.EventStatus;
import io.outbox.model.OutboxEvent;
import io.outbox.operate.AuditEntry;
import io.outbox.operate.Count;
import io.outbox.operate.LifecycleState;
import io.outbox.operate.Overview;
import io.outbox.spi.MemberDetail.MissingListener;
import io.outbox.spi.MemberDetail.Outage;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the page asks for, over HTTP. */
class ConsoleApiTest {

  private static final String BASE = "/api/outboxes/orders/";

  private final FakeOutbox fake = new FakeOutbox();
  private OutboxConsole console;
  private TestClient client;

  @BeforeEach
  void start() {
    console =
        OutboxConsole.builder()
            .operator("orders", fake.operator())
            .operator("invoices", new FakeOutbox().operator())
            .port(0)
            .payloadMask(ConsoleApiTest::mask)
            .build()
            .start();
    client = new TestClient(console);
  }

  private static PayloadMask.Content mask(OutboxEvent event) {
    if (event.eventType().equals("Broken")) {
      throw new IllegalStateException("the mask has a fault");
    }
    PayloadMask.Content all = PayloadMask.Content.of(event);
    return all.payloadJson() == null
        ? all
        : all.withPayloadJson(all.payloadJson().replace("4111", "****"));
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @Test
  void theSessionSaysWhoIsHereAndWhatThereIsToSee() {
    JsonObject session = client.get("/api/session").json();

    assertThat(session.get("user").getAsString()).isEqualTo(System.getProperty("user.name"));
    assertThat(session.get("role").getAsString()).isEqualTo("OPERATOR");
    assertThat(session.get("outboxes").toString()).isEqualTo("[\"orders\",\"invoices\"]");
    assertThat(session.get("logins").toString()).isEqualTo("[]");
  }

  @Test
  void R24_theLagIsThatOfTheOverview() {
    fake.story =
        now ->
            new Overview(
                now,
                Map.of(EventStatus.NEW, Count.exactly(1)),
                Map.of(LifecycleState.PENDING, Count.exactly(1)),
                now.minus(Duration.ofHours(2)),
                null,
                Count.exactly(0),
                Count.exactly(0),
                List.of(),
                0,
                List.of(),
                List.of());

    JsonObject overview = client.get(BASE + "overview").json();

    assertThat(overview.get("lagMillis").getAsLong()).isEqualTo(7_200_000);
    assertThat(overview.getAsJsonArray("point").toString()).contains("7200.0");
  }

  @Test
  void theOverviewIsThatOfTheOperator() {
    fake.addMany(3, EventStatus.DEAD);

    JsonObject overview = client.get(BASE + "overview").json();

    assertThat(overview.toString())
        .contains("\"DEAD\":{\"value\":3,\"precision\":\"EXACT\"}", "\"perMinute\":60.0");
    assertThat(overview.getAsJsonArray("point")).hasSize(6);
  }

  @Test
  void theOverviewIsAskedForOnceHoweverManyAsk() {
    for (int i = 0; i < 20; i++) {
      client.get(BASE + "overview");
    }

    assertThat(fake.overviews).hasValueLessThan(10);
  }

  @Test
  void pagesFollowEachOtherByCursor() {
    fake.addMany(120, EventStatus.DEAD);
    List<String> seen = new ArrayList<>();
    String after = "";
    int pages = 0;
    do {
      JsonObject page = client.get(BASE + "events?status=DEAD&limit=50" + after).json();
      page.getAsJsonArray("events")
          .forEach(event -> seen.add(event.getAsJsonObject().get("id").getAsString()));
      after = page.get("next").isJsonNull() ? null : "&after=" + page.get("next").getAsString();
      pages++;
    } while (after != null);

    assertThat(pages).isEqualTo(3);
    assertThat(seen).hasSize(120).doesNotHaveDuplicates();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "state=LEASED; status=NEW,RETRY leased=true",
        "status=RETRY,DEAD; status=RETRY,DEAD",
        "type=A%20b&aggregateType=C&aggregateId=1; type=A b aggregateType=C aggregateId=1",
        "tenant=t&key=k&id=01J&attempts=3; tenant=t key=k id^=01J attempts>=3",
        "error=%3Cscript%3E; error~<script>",
        "from=2026-01-01T00:00:00Z&until=2026-01-02T00:00:00Z;"
            + " created>=2026-01-01T00:00:00Z created<2026-01-02T00:00:00Z",
      })
  void parametersBecomeAFilter(String query, String filter) {
    assertThat(client.get(BASE + "events?" + query).json().get("filter").getAsString())
        .isEqualTo(filter);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "statsu=DEAD; cannot be filtered by 'statsu'",
        "status=GONE; 'status' must be one of",
        "status=,&type=A; 'status' has a comma without a value beside it",
        "status=DEAD,; 'status' has a comma without a value beside it",
        "from=%2B1000000000-12-31T23:59:59Z; createdFrom must be between 1000-01-01",
        "attempts=many; whole number",
        "stuck=yes; 'stuck' must be true or false",
        "leased=1; 'leased' must be true or false",
        "tenant=; 'tenant' must have one value",
        "type=A&type=B; 'type' must have one value",
        "from=yesterday; such as 2026-01-31T12:00:00Z",
        "after=nonsense; is not what a search has returned",
      })
  void whatIsNotUnderstoodIsRefusedWithWhatToDo(String query, String message) {
    TestClient.Answer answer = client.get(BASE + "events?" + query);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains(message);
  }

  @Test
  void anEventIsShownWithItsPayloadMasked() {
    fake.add(
        fake.row("e1", "CardCharged", EventStatus.DONE)
            .payloadJson("{\"card\": \"4111\"}")
            .headersJson("{\"a\": \"b\"}"));

    JsonObject event = client.get(BASE + "event?id=e1").json();

    assertThat(event.getAsJsonObject("payload").get("text").getAsString())
        .isEqualTo("{\"card\": \"****\"}");
    assertThat(event.getAsJsonObject("payload").get("masked").getAsBoolean()).isTrue();
    assertThat(event.get("headers").getAsString()).isEqualTo("{\"a\": \"b\"}");
    assertThat(client.get(BASE + "payload?id=e1").body()).isEqualTo("{\"card\": \"****\"}");
  }

  @Test
  void aMaskThatFailsShowsNothing() {
    fake.add(fake.row("e1", "Broken", EventStatus.DONE).payloadJson("{\"card\": \"4111\"}"));

    TestClient.Answer answer = client.get(BASE + "event?id=e1");

    assertThat(answer.body()).doesNotContain("4111").contains("\"kind\":\"hidden\"");
    assertThat(client.get(BASE + "payload?id=e1").status()).isEqualTo(404);
  }

  @Test
  void bytesAreShownAsBase64AndDownloadedAsTheyAre() {
    byte[] bytes = "ab\u0000c".getBytes(StandardCharsets.UTF_8);
    fake.add(
        fake.row("e1", "LabelPrinted", EventStatus.NEW).payloadBytes(bytes, "application/pdf"));

    JsonObject event = client.get(BASE + "event?id=e1").json();
    TestClient.Answer download = client.get(BASE + "payload?id=e1");

    assertThat(event.getAsJsonObject("payload").get("base64").getAsString())
        .isEqualTo(Base64.getEncoder().encodeToString(bytes));
    assertThat(event.get("contentType").getAsString()).isEqualTo("application/pdf");
    assertThat(download.body()).isEqualTo("ab\u0000c");
    assertThat(download.header("Content-Disposition")).startsWith("attachment");
    assertThat(download.header("Content-Type")).isEqualTo("application/octet-stream");
  }

  @Test
  void aLargePayloadIsCutInThePageAndWholeInTheDownload() {
    String large = "\"" + "x".repeat(400_000) + "\"";
    fake.add(fake.row("e1", "Large", EventStatus.NEW).payloadJson(large));

    JsonObject payload = client.get(BASE + "event?id=e1").json().getAsJsonObject("payload");

    assertThat(payload.get("cut").getAsBoolean()).isTrue();
    assertThat(payload.get("text").getAsString()).hasSize(256 * 1024);
    assertThat(client.get(BASE + "payload?id=e1").body()).isEqualTo(large);
  }

  @Test
  void whatIsActedOnIsInTheAuditUnderTheNameOfTheUser() {
    fake.addMany(1, EventStatus.NEW);

    JsonObject answer =
        client
            .post(
                BASE + "actions",
                "{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\"by mistake\"}")
            .json();

    assertThat(answer.get("changed").getAsInt()).isEqualTo(1);
    assertThat(fake.rows.get("e100000").lastError()).isEqualTo("by mistake");
    AuditEntry entry = fake.audit.get(0);
    assertThat(entry.who()).isEqualTo(System.getProperty("user.name"));
    assertThat(entry.what()).isEqualTo("kill");
    assertThat(client.get(BASE + "audit").body()).contains("\"filter\":\"id=e100000\"");
  }

  @Test
  void aPreviewChangesNothing() {
    fake.addMany(30, EventStatus.DEAD);

    JsonObject preview = client.get(BASE + "preview?action=replay&status=DEAD").json();

    assertThat(preview.getAsJsonObject("count").get("value").getAsInt()).isEqualTo(30);
    assertThat(preview.getAsJsonArray("sample")).hasSize(10);
    assertThat(fake.audit).isEmpty();
    assertThat(fake.rows.values()).allMatch(row -> row.status() == EventStatus.DEAD);
  }

  @Test
  void aPayloadIsDownloadedAsWhatItIs() {
    fake.add(fake.row("a/b", "OrderPlaced", EventStatus.NEW).payloadJson("{}"));

    assertThat(client.get(BASE + "payload?id=a%2Fb").header("Content-Disposition"))
        .isEqualTo("attachment; filename=\"a_b.json\"");
  }

  @Test
  void theConsoleSaysWhereItIs() {
    try (OutboxConsole named =
        OutboxConsole.builder()
            .operator("orders", fake.operator())
            .port(0)
            .environment("production", "red")
            .build()
            .start()) {
      assertThat(new TestClient(named).get("/api/session").body())
          .contains("\"environment\":\"production\"", "\"color\":\"red\"");
    }
    assertThat(client.get(BASE + "place").json().get("place").getAsString())
        .isEqualTo("postgresql://db.example.org:5432/shop");
    assertThatThrownBy(() -> OutboxConsole.builder().environment("production", "#f00"))
        .hasMessageContaining("red");
  }

  @Test
  void R24_aListenerThatIsDownIsShownWithTheEventsThatWaitForIt() {
    fake.addMany(1, EventStatus.NEW);
    Instant since = Instant.parse("2026-01-01T00:00:00Z");
    EventRoute route = new EventRoute(null, "OrderPlaced");
    fake.outages.add(
        new Outage("Kafka", "topic <b>", Outage.OPEN, "refused", since, null, List.of(route)));

    assertThat(client.get(BASE + "overview").json().getAsJsonArray("outages").toString())
        .contains(
            "\"destination\":\"topic <b>\"",
            "\"reason\":\"refused\"",
            "\"since\":\"2026-01-01T00:00:00Z\"",
            "\"nodes\":[\"node-1\"]");
    assertThat(client.get(BASE + "events").json().getAsJsonArray("events"))
        .singleElement()
        .satisfies(event -> assertThat(event.toString()).contains("\"kind\":\"OUTAGE\""));
    JsonObject waitsFor = client.get(BASE + "event?id=e100000").json().getAsJsonObject("waitsFor");
    assertThat(waitsFor.get("what").getAsString())
        .isEqualTo("listener Kafka (topic <b>), which is down (refused)");
    assertThat(waitsFor.get("obstacle").getAsBoolean()).isTrue();
  }

  @Test
  void R24_aTypeThatNoNodeHasAListenerForIsShown() {
    fake.addMany(1, EventStatus.NEW);
    fake.missingListeners.add(
        new MissingListener(
            new EventRoute("Order", "OrderPlaced"), Instant.parse("2026-01-01T00:00:00Z")));

    assertThat(client.get(BASE + "overview").json().getAsJsonArray("withoutListener").toString())
        .isEqualTo(
            "[{\"name\":\"Order/OrderPlaced\",\"aggregateType\":\"Order\","
                + "\"eventType\":\"OrderPlaced\",\"since\":\"2026-01-01T00:00:00Z\",\"nearMiss\":null}]");
  }

  @Test
  void deliveryIsPausedAndResumed() {
    client.post(BASE + "pauses", "{\"eventType\":\"OrderPlaced\",\"reason\":\"repairs\"}");
    assertThat(client.get(BASE + "pauses").body())
        .contains("\"aggregateType\":null", "\"eventType\":\"OrderPlaced\"", "repairs");

    client.post(BASE + "pauses/resume", "{\"eventType\":\"OrderPlaced\"}");
    assertThat(client.get(BASE + "pauses").body()).isEqualTo("{\"pauses\":[]}");
  }

  @Test
  void tenantsAndDestinationsArePausedAndResumed() {
    client.post(BASE + "pauses", "{\"tenant\":\"acme\"}");
    client.post(BASE + "pauses", "{\"destination\":\"topic orders\"}");
    assertThat(client.get(BASE + "pauses").body())
        .contains("\"tenant\":\"acme\"", "\"destination\":\"topic orders\"");
    assertThat(client.post(BASE + "pauses", "{\"tenant\":\"acme\",\"eventType\":\"A\"}").message())
        .contains("about types, about a tenant or about a destination");

    client.post(BASE + "pauses/resume", "{\"tenant\":\"acme\",\"eventType\":null}");
    client.post(BASE + "pauses/resume", "{\"destination\":\"topic orders\"}");
    assertThat(client.get(BASE + "pauses").body()).isEqualTo("{\"pauses\":[]}");
  }

  @Test
  void blockedKeysAreListedAndSkipped() {
    fake.addMany(1, EventStatus.NEW);

    assertThat(client.get(BASE + "blocked-keys").body()).contains("\"key\":\"Order:1\"");
    assertThat(client.post(BASE + "skip", "{\"id\":\"e100000\",\"reason\":\"x\"}").body())
        .isEqualTo("{\"changed\":1}");
  }

  @Test
  void missingTablesAreSaidWithWhatToDo() {
    fake.installed = false;

    TestClient.Answer answer = client.post(BASE + "pauses", "{\"eventType\":\"A\"}");

    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.message()).contains("createOperator");
  }

  @Test
  void aDatabaseThatFailsIsSaid() {
    fake.failure = new RuntimeException("connection refused");

    TestClient.Answer answer = client.get(BASE + "events");

    assertThat(answer.status()).isEqualTo(503);
    assertThat(answer.message()).contains("connection refused");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /api/outboxes/nobody/events, 404",
    "GET, /api/outboxes/orders/nothing, 404",
    "GET, /api/outboxes/orders, 404",
    "DELETE, /api/outboxes/orders/events, 405",
    "GET, /nothing, 404",
    "GET, /assets/../OutboxConsole.class, 404",
    "GET, /assets/%2e%2e/OutboxConsole.class, 400",
    "GET, /api/outboxes/orders/event, 400",
    "GET, /api/outboxes/orders/event?id=none, 404",
    "POST, /api/login, 404",
  })
  void whatIsNotThereIsSaidAsJson(String method, String path, int status) {
    TestClient.Answer answer = client.send(method, path, "{}");

    assertThat(answer.status()).isEqualTo(status);
    assertThat(answer.message()).isNotBlank();
  }

  @Test
  void bodiesAndAddressesAreLimited() {
    String large = "{\"reason\":\"" + "x".repeat(70_000) + "\"}";

    assertThat(client.post(BASE + "pauses", large).status()).isEqualTo(413);
    assertThat(client.get(BASE + "events?error=" + "x".repeat(9_000)).status()).isEqualTo(414);
    assertThat(client.post(BASE + "pauses", "[1]").status()).isEqualTo(400);
    assertThat(client.post(BASE + "pauses", "{nonsense").status()).isEqualTo(400);
    assertThat(client.with("Content-Type", "text/plain").post(BASE + "pauses", "{}").status())
        .isEqualTo(415);
  }

  @Test
  void filesThatTheBrowserKnowsAreNotSentAgain() {
    TestClient.Answer first = client.get("/assets/app.js");
    TestClient.Answer again =
        client.with("If-None-Match", first.header("ETag")).get("/assets/app.js");

    assertThat(first.status()).isEqualTo(200);
    assertThat(first.header("Content-Type")).startsWith("text/javascript");
    assertThat(again.status()).isEqualTo(304);
    assertThat(again.body()).isEmpty();
  }

  @Test
  void aMisspelledMemberOfABodyHitsNothing() {
    assertThat(client.post(BASE + "pauses", "{\"eventTpye\":\"OrderPlaced\"}").message())
        .contains("There is no 'eventTpye'");
    assertThat(
            client
                .post(BASE + "jobs", "{\"action\":\"purge\",\"filter\":\"type=A\",\"limt\":1}")
                .message())
        .contains("There is no 'limt'");
    assertThat(fake.pauses).isEmpty();
    assertThat(fake.audit).isEmpty();
  }
}
