package io.outbox.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.context.ApplicationContext;
import io.micronaut.runtime.server.EmbeddedServer;
import io.outbox.micronaut.shop.Shop;
import io.outbox.testdb.TestDatabase;
import io.outbox.testing.Await;
import io.outbox.testing.RecordingListener;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Health and metrics, as an operator sees them. */
class ManagementTest {

  private static final Duration SOON = Duration.ofSeconds(60);

  private final RecordingListener listener = new RecordingListener();

  @BeforeEach
  void clear() {
    TestApp.clear(TestDatabase.H2);
  }

  @Test
  void theHealthEndpointShowsTheOutbox() throws Exception {
    try (TestApp app = start(Map.of())) {
      app.get(Shop.class).place("A-1", false);
      listener.awaitCount(1, SOON);

      assertThat(health(app.context()))
          .contains("\"outbox\":{\"name\":")
          .contains("\"lagMs\":")
          .doesNotContain("\"outbox\":{\"status\":\"DOWN\"");
    }
  }

  @Test
  void moreDeadEventsThanAllowedAreDown() throws Exception {
    listener.answer(
        event -> {
          throw new io.outbox.UnrecoverableException("never");
        });
    try (TestApp app = start(Map.of("outbox.health.max-dead", 0))) {
      app.get(Shop.class).place("A-1", false);
      Await.until("DOWN", SOON, () -> isDown(app.context()));

      assertThat(health(app.context())).contains("\"dead\":1").contains("\"maxDead\":0");
    }
  }

  @Test
  void deliveriesAreCountedInTheMeterRegistry() throws Exception {
    try (TestApp app = start(Map.of("outbox.metrics.name-prefix", "shop.outbox"))) {
      app.get(Shop.class).place("A-1", false);

      MeterRegistry meters = app.get(MeterRegistry.class);
      Await.until(
          "the counter",
          SOON,
          () -> meters.get("shop.outbox.dispatch.success").counter().count() == 1);
    }
  }

  private TestApp start(Map<String, Object> properties) {
    Map<String, Object> all = new java.util.HashMap<>(properties);
    all.put("endpoints.health.details-visible", "ANONYMOUS");
    return TestApp.start(TestDatabase.H2, "shop", all, listener);
  }

  private static boolean isDown(ApplicationContext context) {
    try {
      return health(context).contains("\"dead\":1");
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String health(ApplicationContext context)
      throws IOException, InterruptedException {
    EmbeddedServer server = context.getBean(EmbeddedServer.class);
    if (!server.isRunning()) {
      server.start();
    }
    return HttpClient.newHttpClient()
        .send(
            HttpRequest.newBuilder(URI.create(server.getURI() + "/health")).build(),
            BodyHandlers.ofString())
        .body();
  }
}
