package io.outbox.samples.starter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.outbox.testdb.Database;
import io.outbox.testdb.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** Starts the application on PostgreSQL and drives it over HTTP, as the README does. */
class StarterDemoApplicationTest {

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static Database database;
  private static ConfigurableApplicationContext application;
  private static String base;

  @BeforeAll
  static void start() {
    database = TestDatabase.POSTGRES.fresh();
    application =
        SpringApplication.run(
            StarterDemoApplication.class,
            "--server.port=0",
            "--logging.level.root=warn",
            "--outbox.schema.initialize=always",
            "--spring.datasource.url=" + database.jdbcUrl(),
            "--spring.datasource.username=" + database.user(),
            "--spring.datasource.password=" + database.password());
    base = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
  }

  @AfterAll
  static void stop() {
    application.close();
    database.close();
  }

  @Test
  void twoThousandRequestsOverEightThreadsAreDeliveredOnceEach() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      List<Future<HttpResponse<String>>> requests = new ArrayList<>();
      for (int i = 0; i < 2000; i++) {
        requests.add(threads.submit(() -> post("/orders/book")));
      }
      List<Long> orders = new ArrayList<>();
      for (Future<HttpResponse<String>> request : requests) {
        orders.add(Long.valueOf(request.get().body()));
      }
      assertThat(orders).hasSize(2000).doesNotHaveDuplicates();
      Map<Long, Integer> confirmations = application.getBean(Confirmations.class).byOrder();
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> confirmations.keySet().containsAll(orders));
      awaitNothingPending();
      Set<Integer> times = orders.stream().map(confirmations::get).collect(Collectors.toSet());
      assertThat(times).containsExactly(1);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void anOrderThatIsRolledBackIsNotConfirmed() throws Exception {
    String before = get("/orders/count");
    HttpResponse<String> refused = post("/orders/book?quantity=0");
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(get("/orders/count")).isEqualTo(before);
    awaitNothingPending();
    assertThat(get("/confirmations"))
        .isNotNull()
        .satisfies(
            ignored ->
                assertThat(application.getBean(Confirmations.class).byOrder())
                    .hasSize(Integer.parseInt(before)));
  }

  @Test
  void theActuatorShowsTheOutbox() throws Exception {
    post("/orders/lamp");
    awaitNothingPending();
    assertThat(get("/actuator/health")).contains("\"outbox\"").contains("UP");
    assertThat(get("/actuator/metrics/outbox.dispatch.success")).contains("COUNT");
  }

  private static void awaitNothingPending() {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              String outbox = get("/actuator/outbox");
              return outbox.contains("\"NEW\":0") && outbox.contains("\"RETRY\":0");
            });
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
