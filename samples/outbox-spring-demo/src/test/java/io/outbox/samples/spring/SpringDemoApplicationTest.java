package io.outbox.samples.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the application and drives it over HTTP, as the README does. */
class SpringDemoApplicationTest {

  private static final Pattern EVENT_ID = Pattern.compile("\"eventId\":\"([^\"]+)\"");

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static ConfigurableApplicationContext application;
  private static String base;

  @BeforeAll
  static void start() {
    application =
        SpringApplication.run(
            SpringDemoApplication.class, "--server.port=0", "--logging.level.root=warn");
    base = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void anOrderIsShippedAfterItsCommit() throws Exception {
    HttpResponse<String> placed = post("/orders", order("Berlin", 2));
    assertThat(placed.statusCode()).isEqualTo(200);
    String eventId = eventId(placed.body());
    await().atMost(Duration.ofSeconds(60)).until(() -> get("/parcels").contains(eventId));
  }

  @Test
  void anOrderThatIsRolledBackIsNotShipped() throws Exception {
    String ordersBefore = get("/orders/count");
    HttpResponse<String> refused = post("/orders", order("Berlin", 0));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("cannot be shipped");
    assertThat(get("/orders/count")).isEqualTo(ordersBefore);

    // What is written later is delivered; what was rolled back before it would have been, too.
    String next = eventId(post("/orders", order("Rome", 1)).body());
    await().atMost(Duration.ofSeconds(60)).until(() -> get("/parcels").contains(next));
    assertThat(get("/dead")).isEqualTo("[]");
  }

  @Test
  void aDeadEventIsFoundAndReplayed() throws Exception {
    String eventId = eventId(post("/orders", order("Moon", 1)).body());
    await().atMost(Duration.ofSeconds(60)).until(() -> get("/dead").contains(eventId));
    assertThat(get("/dead")).contains("nobody ships to the moon");

    assertThat(post("/dead/" + eventId + "/replay", "").body()).contains("true");
    await().atMost(Duration.ofSeconds(60)).until(() -> get("/parcels").contains(eventId));
    assertThat(get("/dead")).isEqualTo("[]");
  }

  private static String order(String destination, int quantity) {
    return "{\"customer\":\"ada\",\"destination\":\"%s\",\"quantity\":%d}"
        .formatted(destination, quantity);
  }

  private static String eventId(String body) {
    Matcher matcher = EVENT_ID.matcher(body);
    assertThat(matcher.find()).as(body).isTrue();
    return matcher.group(1);
  }

  private static String get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(base + path)).GET()).body();
  }

  private static HttpResponse<String> post(String path, String body)
      throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(base + path))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(body)));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
