package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.gson.JsonObject;
import io.outbox.EventEnvelope;
import io.outbox.model.EventStatus;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the pages about subscriptions and the archive ask for, of an outbox that delivers. */
class SubscriptionsAndArchiveTest {

  private static final String BASE = "/api/outboxes/orders/";
  private static final String TOKEN = "a-long-and-secret-token";
  private static final String READER = "another-secret-token";
  private static final PayloadMask.Content MASKED =
      new PayloadMask.Content("{\"n\":\"masked\"}", null, null);

  private final Shop shop =
      new Shop(
          settings ->
              settings
                  .token("ann", TOKEN, ConsoleRole.OPERATOR)
                  .token("bob", READER, ConsoleRole.READ_ONLY)
                  .payloadMask(event -> MASKED));
  private final TestClient ann = shop.client().with("Authorization", "Bearer " + TOKEN);
  private final TestClient bob = shop.client().with("Authorization", "Bearer " + READER);

  @AfterEach
  void close() {
    shop.close();
  }

  private static EventEnvelope shipped(String order) {
    return EventEnvelope.builder("OrderShipped")
        .aggregateType("Order")
        .aggregateId(order)
        .payloadJson("{\"n\":1}")
        .build();
  }

  private void awaitCount(EventStatus status, long count) {
    await().atMost(Duration.ofSeconds(60)).until(() -> shop.count(status) == count);
  }

  private Map<String, JsonObject> subscriptions() {
    return ann.get(BASE + "subscriptions").json().getAsJsonArray("subscriptions").asList().stream()
        .map(one -> one.getAsJsonObject())
        .collect(Collectors.toMap(one -> one.get("name").getAsString(), one -> one));
  }

  private static String number(JsonObject subscription, String name) {
    return subscription.getAsJsonObject(name).toString();
  }

  @Test
  void eachSubscriptionSaysHowFarItIsAndWhetherItIsPaused() throws SQLException {
    String own = "{\"aggregateType\":\"Order@@send-mail\",\"eventType\":\"OrderShipped\"}";
    EventEnvelope event = shipped("A-17");
    shop.broken.put(event.eventId() + "webhook", "the partner is gone");
    ann.post(BASE + "pauses", own);
    assertThat(subscriptions().get("send-mail").getAsJsonArray("pauses")).hasSize(1);
    shop.write(event);
    awaitCount(EventStatus.DEAD, 1);

    JsonObject webhook = subscriptions().get("webhook");
    assertThat(webhook.get("route").getAsString()).isEqualTo("Order/OrderShipped");
    assertThat(webhook.get("copies").getAsString()).isEqualTo("Order@@webhook");
    assertThat(number(webhook, "dead")).isEqualTo("{\"value\":1,\"precision\":\"EXACT\"}");
    assertThat(number(webhook, "waiting")).isEqualTo("{\"value\":0,\"precision\":\"EXACT\"}");
    assertThat(webhook.getAsJsonArray("pauses")).isEmpty();
    assertThat(webhook.get("until").isJsonNull()).isTrue();

    ann.post(BASE + "pauses/resume", own);
    assertThat(subscriptions().get("send-mail").getAsJsonArray("pauses")).isEmpty();
    awaitCount(EventStatus.DONE, 2);
  }

  @Test
  void anEventNamesItsCopiesAndACopyItsEvent() throws SQLException {
    EventEnvelope event = shipped("A-17");
    shop.broken.put(event.eventId() + "webhook", "the partner is gone");
    shop.write(event);
    awaitCount(EventStatus.DEAD, 1);
    awaitCount(EventStatus.DONE, 2);

    JsonObject json = ann.get(BASE + "event?id=" + event.eventId()).json();
    assertThat(json.get("copyOf").isJsonNull()).isTrue();
    Map<String, JsonObject> copies =
        json.getAsJsonArray("copies").asList().stream()
            .map(copy -> copy.getAsJsonObject())
            .collect(Collectors.toMap(c -> c.get("subscription").getAsString(), c -> c));
    assertThat(copies).containsOnlyKeys("send-mail", "webhook");
    assertThat(copies.get("send-mail").getAsJsonObject("event").get("state").getAsString())
        .isEqualTo("DONE");
    assertThat(copies.get("webhook").getAsJsonObject("event").get("state").getAsString())
        .isEqualTo("DEAD");

    String id = copies.get("webhook").get("id").getAsString();
    JsonObject copy = ann.get(BASE + "event?id=" + id).json();
    assertThat(copy.getAsJsonArray("copies")).isEmpty();
    assertThat(copy.getAsJsonObject("copyOf").get("id").getAsString()).isEqualTo(event.eventId());
    assertThat(copy.getAsJsonObject("copyOf").get("subscription").getAsString())
        .isEqualTo("webhook");
  }

  @Test
  void archivedEventsAreFoundShownAndReplayed() throws SQLException {
    for (int i = 0; i < 3; i++) {
      shop.write(EventEnvelope.builder("Paid").orderingKey("k" + i).payloadJson("{}").build());
    }
    awaitCount(EventStatus.DONE, 3);
    shop.archiveFinished();

    JsonObject page = ann.get(BASE + "archive?type=Paid&limit=2").json();
    assertThat(page.getAsJsonArray("events")).hasSize(2);
    String next = page.get("next").getAsString();
    assertThat(
            ann.get(BASE + "archive?type=Paid&limit=2&after=" + next)
                .json()
                .getAsJsonArray("events"))
        .hasSize(1);
    JsonObject one = ann.get(BASE + "archive?key=k1").json();
    assertThat(one.getAsJsonArray("events")).hasSize(1);
    String id = one.getAsJsonArray("events").get(0).getAsJsonObject().get("id").getAsString();
    JsonObject event = ann.get(BASE + "archive/event?id=" + id).json();
    assertThat(event.getAsJsonObject("payload").get("text").getAsString()).contains("masked");
    assertThat(event.get("inTable").getAsBoolean()).isFalse();
    assertThat(ann.get(BASE + "archive/payload?id=" + id).body()).contains("masked");

    String body = "{\"id\":\"" + id + "\"}";
    assertThat(bob.post(BASE + "archive/replay", body).status()).isEqualTo(403);
    assertThat(bob.post(BASE + "archive/jobs", "{\"filter\":\"type=Paid\"}").status())
        .isEqualTo(403);
    assertThat(shop.count(EventStatus.DONE)).isZero();
    assertThat(ann.post(BASE + "archive/replay", body).json().get("changed").getAsInt()).isOne();
    awaitCount(EventStatus.DONE, 1);
    assertThat(ann.post(BASE + "archive/replay", body).json().get("changed").getAsInt()).isZero();
    assertThat(ann.post(BASE + "archive/jobs", "{\"filter\":\"type=Paid\"}").status())
        .isEqualTo(202);
    awaitCount(EventStatus.DONE, 3);
    assertThat(ann.get(BASE + "audit").body())
        .contains("\"who\":\"ann\",\"what\":\"archive replay\"", "type=Paid", "id=" + id);
  }

  @Test
  void aReplayFromTheArchiveThatEndedEarlyContinuesThere() throws SQLException {
    for (int i = 0; i < 3; i++) {
      shop.write(EventEnvelope.builder("Paid").orderingKey("k" + i).payloadJson("{}").build());
    }
    awaitCount(EventStatus.DONE, 3);
    shop.archiveFinished();

    JsonObject first = replayed("{\"filter\":\"type=Paid\",\"limit\":2}");
    assertThat(first.get("state").getAsString()).isEqualTo("FINISHED");
    assertThat(first.get("changed").getAsLong()).isEqualTo(2);
    assertThat(first.get("query").getAsString()).isEqualTo("type=Paid");
    String next = first.get("next").getAsString();
    awaitCount(EventStatus.DONE, 2);
    shop.archiveFinished(); // from the beginning they would be delivered again

    JsonObject second = replayed("{\"filter\":\"type=Paid\",\"after\":\"" + next + "\"}");
    assertThat(second.get("changed").getAsLong()).isOne();
    assertThat(second.get("after").getAsString()).isEqualTo(next);
    assertThat(second.get("next").isJsonNull()).isTrue();
    awaitCount(EventStatus.DONE, 1);
  }

  @Test
  void aReplayFromTheArchiveThatFailedContinuesThere() throws SQLException {
    for (int i = 100; i <= 200; i++) {
      shop.write(EventEnvelope.builder("Paid").eventId("e" + i).payloadJson("{}").build());
    }
    awaitCount(EventStatus.DONE, 101);
    shop.archiveFinished();
    shop.execute("ALTER TABLE outbox_event ADD CONSTRAINT no CHECK (event_id <> 'e200')");

    JsonObject failed = replayed("{\"filter\":\"type=Paid\"}");
    assertThat(failed.get("state").getAsString()).isEqualTo("FAILED");
    String next = failed.get("next").getAsString();
    shop.execute("ALTER TABLE outbox_event DROP CONSTRAINT no");

    JsonObject second = replayed("{\"filter\":\"type=Paid\",\"after\":\"" + next + "\"}");
    assertThat(second.get("changed").getAsLong()).isOne();
    assertThat(second.get("scanned").getAsLong()).isOne();
  }

  /** The job that this began, when it is over. */
  private JsonObject replayed(String body) {
    TestClient.Answer begun = ann.post(BASE + "archive/jobs", body);
    assertThat(begun.status()).as(begun.body()).isEqualTo(202);
    return await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> job(begun.json().get("id").getAsLong()),
            job -> Set.of("FINISHED", "FAILED").contains(job.get("state").getAsString()));
  }

  private JsonObject job(long id) {
    return ann.get(BASE + "jobs").json().getAsJsonArray("jobs").asList().stream()
        .map(one -> one.getAsJsonObject())
        .filter(one -> one.get("id").getAsLong() == id)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theArchiveRefusesWhatItDoesNotUnderstand() {
    assertThat(ann.get(BASE + "archive?stuck=true").message()).contains("cannot be filtered by");
    assertThat(ann.get(BASE + "archive?after=x").status()).isEqualTo(400);
    assertThat(ann.get(BASE + "archive?limit=1000").status()).isEqualTo(400);
    assertThat(ann.get(BASE + "archive/event?id=x").status()).isEqualTo(404);
    assertThat(ann.post(BASE + "archive/jobs", "{\"filter\":\"&\"}").message())
        .contains("'filter' says nothing");
    String tooMany = "{\"filter\":\"type=Paid\",\"limit\":10001}";
    assertThat(ann.post(BASE + "archive/jobs", tooMany).message()).contains("from 1 to 10000");
    JsonObject lost = replayed("{\"filter\":\"type=Paid\",\"after\":\"x\"}");
    assertThat(lost.get("error").getAsString())
        .contains("'x' is not from a replay of this archive");
    assertThat(ann.with("X-Outbox-Console", null).post(BASE + "archive/replay", "{}").status())
        .isEqualTo(403);
  }

  @Test
  void anOutboxWithoutThemSaysSo() {
    try (OutboxConsole console =
        OutboxConsole.builder()
            .operator("orders", new FakeOutbox().operator())
            .port(0)
            .build()
            .start()) {
      TestClient client = new TestClient(console);

      assertThat(client.get(BASE + "subscriptions").body()).isEqualTo("{\"subscriptions\":[]}");
      assertThat(client.get(BASE + "archive").body()).isEqualTo("{\"configured\":false}");
      assertThat(client.get(BASE + "archive/event?id=x").message()).contains("has no archive");
    }
  }
}
