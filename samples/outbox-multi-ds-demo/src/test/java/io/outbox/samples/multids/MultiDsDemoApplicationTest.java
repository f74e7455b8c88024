package io.outbox.samples.multids;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the application and drives it over HTTP, as the README does. */
class MultiDsDemoApplicationTest {

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static ConfigurableApplicationContext application;
  private static String base;

  @BeforeAll
  static void start() {
    application =
        SpringApplication.run(
            MultiDsDemoApplication.class, "--server.port=0", "--logging.level.root=warn");
    base = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
  }

  @AfterAll
  static void stop() {
    application.close();
  }

  @Test
  void eachEventIsDeliveredByTheOutboxOfItsDatabase() throws Exception {
    assertThat(post("/orders/book").statusCode()).isEqualTo(200);
    assertThat(post("/stock/book").statusCode()).isEqualTo(200);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                get("/deliveries").contains("orders: Ordered")
                    && get("/deliveries").contains("stock: Restocked"));
    assertThat(get("/deliveries")).doesNotContain("stock: Ordered", "orders: Restocked");
  }

  @Test
  void R16_anEventForADatabaseWithoutATransactionIsRefused() throws Exception {
    HttpResponse<String> refused = post("/mistakes/lamp");
    assertThat(refused.statusCode()).isEqualTo(409);
    assertThat(refused.body()).contains("transaction");
    assertThat(get("/deliveries")).doesNotContain("lamp");
  }

  private static String get(String path) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(base + path)).GET()).body();
  }

  private static HttpResponse<String> post(String path) throws IOException, InterruptedException {
    return send(
        HttpRequest.newBuilder(URI.create(base + path)).POST(HttpRequest.BodyPublishers.noBody()));
  }

  private static HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }
}
