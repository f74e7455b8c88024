package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.model.EventStatus;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is almost right is refused, so that nobody and nothing reads it in two ways. */
class StrictParsingTest {

  private static final String BASE = "/api/outboxes/orders/";
  private static final String KILL =
      "{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\"a test\"}";

  private final FakeOutbox fake = new FakeOutbox();
  private OutboxConsole console;
  private TestClient client;

  @BeforeEach
  void start() {
    fake.addMany(1, EventStatus.NEW);
    console = OutboxConsole.builder().operator("orders", fake.operator()).port(0).build().start();
    client = new TestClient(console);
  }

  @AfterEach
  void stop() {
    console.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:1@evil",
        "localhost:1@evil.example:80",
        "user@localhost",
        "localhost:",
        "localhost:x",
        "localhost:99999",
        "localhost:-1",
        "localhost/x",
        "localhost localhost",
        "[::1",
        "::1",
        "",
      })
  void aHostThatIsNoNameAndPortIsRefused(String host) {
    assertThat(client.with("Host", host).get("/api/session").status()).isEqualTo(400);
    assertThat(client.with("Host", host).post(BASE + "actions", KILL).status()).isEqualTo(400);
    assertThat(fake.audit).isEmpty();
  }

  @Test
  void anOriginHasTheConsolesSchemeNameAndPort() {
    String own = "localhost:" + console.url().getPort();

    for (String malformed :
        new String[] {
          "https://", "http://", own, "http://" + own + "/", "http://x@" + own, "a b"
        }) {
      assertThat(client.with("Origin", malformed).post(BASE + "actions", KILL).status())
          .as(malformed)
          .isEqualTo(400);
    }
    for (String foreign :
        new String[] {"https://" + own, "http://localhost", "http://localhost:1", "ftp://" + own}) {
      assertThat(client.with("Origin", foreign).post(BASE + "actions", KILL).status())
          .as(foreign)
          .isEqualTo(403);
    }
    assertThat(fake.audit).isEmpty();
    assertThat(client.with("Origin", "http://" + own).post(BASE + "actions", KILL).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "application/jsonx",
        "application/json-patch+json",
        "application/json; charset=latin1",
        "application/json, text/plain",
        "text/json",
        "application/x-www-form-urlencoded",
      })
  void onlyJsonIsJson(String type) {
    assertThat(client.with("Content-Type", type).post(BASE + "actions", KILL).status())
        .isEqualTo(415);
    assertThat(fake.audit).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/json", "Application/JSON;charset=UTF-8"})
  void jsonMayNameItsCharset(String type) {
    assertThat(client.with("Content-Type", type).post(BASE + "actions", KILL).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"action\":\"release\",\"action\":\"purge\",\"ids\":[\"e100000\"]}",
        "{'action':'kill','ids':['e100000'],'reason':'x'}",
        "{action:\"kill\",ids:[\"e100000\"],reason:\"x\"}",
        "{\"action\":\"kill\",\"ids\":\"e100000\",\"reason\":\"x\"}",
        "{\"action\":\"kill\",\"ids\":[[\"e100000\"]],\"reason\":\"x\"}",
        "{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":1}",
        "{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\"x\"} {}",
        "{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\"x\",}",
        "/* x */ {\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\"x\"}",
        "[]",
        "",
      })
  void aBodyIsJsonAsItsStandardSaysWithEachMemberOnce(String body) {
    assertThat(client.post(BASE + "actions", body).status()).isEqualTo(400);
    assertThat(fake.audit).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "actions, '{\"action\":\"kill\",\"ids\":[\"e100000\"]}'",
    "actions, '{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\" \"}'",
    "jobs, '{\"action\":\"kill\",\"filter\":\"status=NEW\"}'",
    "skip, '{\"id\":\"e100000\"}'",
  })
  void whoKillsOrSkipsSaysWhy(String path, String body) {
    TestClient.Answer answer = client.post(BASE + path, body);

    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.message()).contains("'reason' is missing");
    assertThat(fake.audit).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "events?limit=-1",
        "events?limit=0",
        "events?limit=100000",
        "events?limit=x",
        "events?limit=1&limit=2",
        "events?type=%ff",
        "events?type=%",
        "audit?limit=-1",
        "audit?before=-1",
        "audit?before=0",
        "audit?before=9223372036854775808",
        "audit?before=",
        "audit?limit=",
        "audit?after=1",
        "events?limit=",
        "events?limit=%2B1",
        "events?after=",
        "event?id=a&id=b",
        "event?id=e100000&x=1",
        "payload?id=e100000&x=1",
        "neighbors?id=e100000&limit=1",
        "overview?status=DEAD",
        "place?x=1",
        "blocked-keys?limit=1",
        "pauses?type=Order",
        "jobs?id=1",
        "preview?action=replay&at=",
      })
  void aParameterOutOfItsRangeIsRefused(String path) {
    assertThat(client.get(BASE + path).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @CsvSource({
    "jobs/stop, '{\"id\":1,\"force\":true}'",
    "actions?limit=1, '{\"action\":\"kill\",\"ids\":[\"e100000\"],\"reason\":\"x\"}'",
    "jobs?limit=1, '{\"action\":\"purge\",\"filter\":\"status=DONE\"}'",
    "skip?x=1, '{\"id\":\"e100000\",\"reason\":\"x\"}'",
    "pauses?eventType=OrderPlaced, '{}'",
  })
  void aChangeWithAWordTooManyIsRefused(String path, String body) {
    assertThat(client.post(BASE + path, body).status()).isEqualTo(400);
    assertThat(fake.audit).isEmpty();
  }

  @Test
  void aWordTooManyToSignInIsRefused() {
    try (OutboxConsole withUsers =
        OutboxConsole.builder()
            .operator("orders", fake.operator())
            .port(0)
            .user("ann", "correct horse", ConsoleRole.OPERATOR)
            .build()
            .start()) {
      String body = "{\"user\":\"ann\",\"password\":\"correct horse\",\"role\":\"OPERATOR\"}";

      assertThat(new TestClient(withUsers).post("/api/login", body).status()).isEqualTo(400);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "1.5", "\"7\"", "1e3"})
  void aLimitOfAJobIsAWholeNumber(String limit) {
    String body = "{\"action\":\"purge\",\"filter\":\"status=DONE\",\"limit\":" + limit + "}";

    assertThat(client.post(BASE + "jobs", body).status()).isEqualTo(400);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"/", "/assets/app.js", "/api/session", BASE + "events", BASE + "live", "/nothing"})
  void headAnswersLikeGetWithoutABody(String path) {
    TestClient plain = client.with("X-Outbox-Console", null);
    TestClient.Answer head = plain.send("HEAD", path, "");

    assertThat(head.body()).isEmpty();
    assertThat(head.status()).isEqualTo(path.equals("/nothing") ? 404 : 200);
    assertThat(head.header("Content-Security-Policy")).isNotNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"PUT", "DELETE", "PATCH", "OPTIONS"})
  void otherMethodsAreNotAllowed(String method) {
    TestClient.Answer answer = client.send(method, BASE + "events", "");

    assertThat(answer.status()).isEqualTo(405);
    assertThat(answer.header("Allow")).isEqualTo("GET, HEAD, POST");
  }
}
