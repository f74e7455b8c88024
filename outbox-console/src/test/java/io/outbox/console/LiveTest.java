package io.outbox.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.model.EventStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the server tells by itself. */
class LiveTest {

  private static final String LIVE = "/api/outboxes/orders/live";

  private static final Duration REFRESH = Duration.ofMillis(200);

  private final FakeOutbox fake = new FakeOutbox();
  private final List<Socket> open = new ArrayList<>();
  private OutboxConsole console =
      OutboxConsole.builder()
          .operator("orders", fake.operator())
          .port(0)
          .refreshInterval(REFRESH)
          .token("a-long-and-secret-token", ConsoleRole.OPERATOR)
          .build()
          .start();
  private final TestClient client =
      new TestClient(console).with("Authorization", "Bearer a-long-and-secret-token");

  @AfterEach
  void stop() throws IOException {
    for (Socket socket : open) {
      socket.close();
    }
    console.close();
  }

  private BufferedReader watch(TestClient who) throws IOException {
    Socket socket = who.open("GET", LIVE, "");
    open.add(socket);
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  private static String next(BufferedReader reader, String event) throws IOException {
    String line;
    while ((line = reader.readLine()) != null) {
      if (line.equals("event: " + event)) {
        return reader.readLine();
      }
    }
    throw new AssertionError("the stream ended before " + event);
  }

  @Test
  void whoWatchesIsToldTheHistoryAndThenWhatChanges() throws IOException {
    BufferedReader reader = watch(client);

    assertThat(next(reader, "history")).startsWith("data: [");
    assertThat(next(reader, "overview")).doesNotContain("\"DEAD\":{");
    fake.addMany(2, EventStatus.DEAD);
    String overview = next(reader, "overview");
    while (!overview.contains("\"DEAD\":{\"value\":2")) {
      overview = next(reader, "overview");
    }
  }

  @Test
  void manyWhoWatchCostNoMoreThanOne() throws IOException {
    List<BufferedReader> readers = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      readers.add(watch(client));
      next(readers.get(i), "overview");
    }
    long begun = System.nanoTime();
    int before = fake.overviews.get();
    for (int i = 0; i < 5; i++) {
      for (BufferedReader reader : readers) {
        next(reader, "overview");
      }
    }

    int overviews = fake.overviews.get() - before;
    long intervals = (System.nanoTime() - begun) / REFRESH.toNanos();
    assertThat(overviews).isLessThanOrEqualTo((int) intervals + 3);
  }

  @Test
  void withoutAnyoneWhoLooksTheDatabaseIsLeftAlone() throws IOException {
    try (Socket socket = client.open("GET", LIVE, "")) {
      next(
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8)),
          "overview");
    }
    int[] last = {-1};
    await()
        .atMost(Duration.ofSeconds(60))
        .pollInterval(Duration.ofSeconds(1))
        .until(() -> last[0] == (last[0] = fake.overviews.get()));
  }

  @Test
  void onlySoManyMayWatch() throws IOException {
    for (int i = 0; i < 32; i++) {
      next(watch(client), "history");
    }

    TestClient.Answer refused = client.get(LIVE);
    assertThat(refused.status()).isEqualTo(503);
    assertThat(refused.message()).contains("Too many pages");

    open.remove(0).close();
    await().atMost(Duration.ofSeconds(60)).untilAsserted(() -> next(watch(client), "history"));
  }

  @Test
  void aDatabaseThatFailsIsToldAndThenThatItAnswersAgain() throws IOException {
    BufferedReader reader = watch(client);
    next(reader, "overview");

    fake.failure = new IllegalStateException("no connection\nat all");
    assertThat(next(reader, "problem")).isEqualTo("data: {\"message\":\"no connection\\nat all\"}");
    fake.failure = null;
    next(reader, "overview");
  }

  @Test
  void whoSignsOutIsToldNoMore() throws IOException {
    TestClient anonymous = client.with("Authorization", null);
    String cookie =
        anonymous
            .post("/api/login", "{\"token\":\"a-long-and-secret-token\"}")
            .header("Set-Cookie")
            .split(";")[0];
    TestClient signedIn = anonymous.with("Cookie", cookie);
    BufferedReader reader = watch(signedIn);
    next(reader, "overview");

    signedIn.post("/api/logout", "{}");

    while (reader.readLine() != null) {
      // what was under way
    }
  }

  @Test
  void closingTheConsoleEndsWhatIsWatched() throws IOException {
    BufferedReader reader = watch(client);
    next(reader, "overview");

    console.close();

    while (reader.readLine() != null) {
      // what was under way
    }
  }
}
