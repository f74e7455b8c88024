package io.outbox.quarkus.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import io.outbox.quarkus.deployment.reload.ReloadedListener;
import io.outbox.quarkus.deployment.reload.ReloadedResource;
import io.outbox.testing.Await;
import io.quarkus.test.QuarkusDevModeTest;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.jboss.shrinkwrap.api.asset.StringAsset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Live reload in dev mode. Public, as Quarkus makes the instance. */
public class LiveReloadTest {

  private static final Duration SOON = Duration.ofSeconds(120);
  private static final int PORT = freePort();

  @RegisterExtension
  static final QuarkusDevModeTest APPLICATION =
      new QuarkusDevModeTest()
          .withApplicationRoot(
              jar ->
                  jar.addClasses(ReloadedListener.class, ReloadedResource.class)
                      .addAsResource(new StringAsset(properties()), "application.properties"));

  private static String properties() {
    return """
        quarkus.http.port=%d
        quarkus.http.host=127.0.0.1
        quarkus.datasource.db-kind=h2
        quarkus.datasource.jdbc.url=jdbc:h2:mem:reload;DB_CLOSE_DELAY=-1
        quarkus.devservices.enabled=false
        quarkus.otel.traces.exporter=none
        quarkus.outbox.poller.interval-ms=600000
        quarkus.outbox.metrics.enabled=false
        quarkus.outbox.tracing.enabled=false
        """
        .formatted(PORT);
  }

  private static int freePort() {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private static String call(HttpRequest.Builder request) {
    try {
      HttpResponse<String> answer =
          HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
      return answer.body();
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void place(int number) {
    URI uri = URI.create("http://127.0.0.1:" + PORT + "/orders/" + number);
    call(HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody()));
  }

  private static void awaitDelivery(String expected) {
    URI uri = URI.create("http://127.0.0.1:" + PORT + "/orders");
    Await.until(
        "the delivery '" + expected + "'",
        SOON,
        () -> call(HttpRequest.newBuilder(uri)).contains(expected));
  }

  @Test
  public void aChangedListenerGetsTheNextEvent() {
    place(1);
    awaitDelivery("first version: {\"number\":1}");

    APPLICATION.modifySourceFile(
        ReloadedListener.class, source -> source.replace("first version", "second version"));
    place(2);
    awaitDelivery("second version: {\"number\":2}");

    APPLICATION.modifySourceFile(
        ReloadedListener.class,
        source ->
            source
                .replace("@OutboxListener(\"OrderPlaced\")", "@OutboxListener(\"OrderLost\")")
                .replace(
                    "  public List<String> deliveries()",
                    "  @OutboxListener(\"OrderPlaced\")\n"
                        + "  void added(String json) {\n"
                        + "    deliveries.add(\"a new method: \" + json);\n"
                        + "  }\n\n"
                        + "  public List<String> deliveries()"));
    place(3);
    awaitDelivery("a new method: {\"number\":3}");
  }
}
